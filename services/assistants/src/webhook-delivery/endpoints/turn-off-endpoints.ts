import { WebhookAttemptFailed } from '@parley/contracts';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import type { Endpoints } from './endpoints.ts';

/** Turns off, once, an endpoint that says it is gone or has failed for too long, in the settings that it belongs to. */
export const turnOffEndpoints = (endpoints: Endpoints): Reactor =>
  defineReactor({
    name: 'turn-off-webhook-endpoints',
    handles: [WebhookAttemptFailed.type],
    laneOf: byAccount,
    async react(event, { effectId, metadata }) {
      const { endpoint, endpoint_fault: fault } = WebhookAttemptFailed.data.parse(event.data);
      if (fault !== null && event.accountId !== null)
        await endpoints.turnOff({
          accountId: event.accountId,
          endpoint,
          fault,
          metadata,
          commandId: effectId(),
        });
      return undefined;
    },
  });
