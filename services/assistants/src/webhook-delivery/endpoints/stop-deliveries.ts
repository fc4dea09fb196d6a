import type { AssistantEvent, VoiceWebhookEvent, WebhookDeliveryEvent } from '@parley/contracts';
import {
  type Aggregates,
  type Decision,
  type EventMetadata,
  mustBeDone,
  type RecordedEvent,
} from '@parley/event-store';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import type { WebhookDeliveries } from '../../views/webhooks/webhook-deliveries.ts';
import { delivery, deliveryCategory, deliveryStream } from '../delivery.ts';
import { type DeliveryLog, wasAskedSince } from '../delivery-log.ts';
import { attemptTimerId } from '../sending/attempt-timer.ts';
import { cancelled } from '../sending/start-attempt.ts';
import type { EndpointName } from './endpoints.ts';

type SettingEvent = RecordedEvent & (AssistantEvent | VoiceWebhookEvent);

/** From the event on, webhooks of the endpoint go to `url`; to nowhere when it is null. */
interface Change {
  readonly endpoint: EndpointName;
  readonly url: string | null;
}

/** How many deliveries are cancelled side by side. */
const atOnce = 100;

/**
 * Cancels what waits for an endpoint that was turned off or got another URL. It would not be sent anyway, since each
 * attempt looks where its endpoint is; but so the deliveries say it at once, and an endpoint that is turned on again
 * starts empty.
 */
export const stopDeliveries = (aggregates: Aggregates, deliveries: WebhookDeliveries): Reactor =>
  defineReactor<SettingEvent>({
    name: 'stop-webhook-deliveries',
    handles: [
      'WebhookEnabled',
      'WebhookDisabled',
      'InboundWebhookEnabled',
      'InboundWebhookDisabled',
      'AssistantDeleted',
      'VoiceWebhookSet',
      'VoiceWebhookDisabled',
    ],
    laneOf: byAccount,
    async react(event, { effectId, metadata, signal, store }) {
      const { accountId, position } = event;
      for (const { endpoint, url } of accountId === null ? [] : changesBy(event)) {
        const pending = await deliveries.pendingBefore(Number(accountId), endpoint, position);
        const stopped = pending.filter((each) => each.url !== url);
        for (let from = 0; from < stopped.length; from += atOnce) {
          if (signal.aborted) throw new Error('Stopped half way; the rest is done by whoever goes on.');
          await Promise.all(
            stopped
              .slice(from, from + atOnce)
              .map(({ id }) =>
                cancel({ aggregates, store }, { id, accountId, url, position, metadata }, effectId(id)),
              ),
          );
        }
      }
      return undefined;
    },
  });

function changesBy(event: SettingEvent): readonly Change[] {
  const assistant_id = Number(event.streamId.slice(event.streamId.lastIndexOf('-') + 1));
  const postCall = { event: 'post_call', assistant_id } as const;
  const inboundCall = { event: 'inbound_call', assistant_id } as const;
  const voice = { event: 'chatapp_voice', assistant_id: null } as const;
  switch (event.type) {
    case 'WebhookEnabled':
      return [{ endpoint: postCall, url: event.data.webhook_url }];
    case 'WebhookDisabled':
      return [{ endpoint: postCall, url: null }];
    case 'InboundWebhookEnabled':
      return [{ endpoint: inboundCall, url: event.data.inbound_webhook_url }];
    case 'InboundWebhookDisabled':
      return [{ endpoint: inboundCall, url: null }];
    case 'AssistantDeleted':
      return [postCall, inboundCall].map((endpoint) => ({ endpoint, url: null }));
    case 'VoiceWebhookSet':
      return [{ endpoint: voice, url: event.data.url }];
    case 'VoiceWebhookDisabled':
      return [{ endpoint: voice, url: null }];
    default:
      return [];
  }
}

interface Cancel {
  readonly id: string;
  readonly accountId: number | null;
  /** Where webhooks of the endpoint go now; null for nowhere. */
  readonly url: string | null;
  /** Position of the event in the log since which they go there. */
  readonly position: number;
  readonly metadata: EventMetadata;
}

async function cancel(
  { aggregates, store }: DeliveryLog,
  { id, accountId, url, position, metadata }: Cancel,
  commandId: string,
): Promise<void> {
  const result = await aggregates.execute({
    streamId: deliveryStream(id),
    category: deliveryCategory,
    accountId,
    fold: delivery,
    metadata,
    command: { commandId, fingerprint: null },
    decide: async ({ status, underWay, redirectedTo }): Promise<Decision<WebhookDeliveryEvent>> => {
      const isElsewhere = status === 'pending' && (url === null || redirectedTo !== url);
      // It may have been asked for since, at its endpoint's present URL, which the view need not show yet.
      const isStopped = isElsewhere && !(await wasAskedSince(store, id, position));
      return {
        events: isStopped ? [cancelled(url === null)] : [],
        // An attempt under way still reports, and its report cancels the timer.
        cancelTimers: isStopped && underWay === null ? [attemptTimerId(id)] : [],
        reply: {},
      };
    },
  });
  mustBeDone(result, `${id} could not be cancelled`);
}
