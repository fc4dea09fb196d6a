import type { WebhookDeliveryEvent } from '@parley/contracts';
import { type Delivery, isOnItsWayTo, type OnItsWay } from './delivery.ts';

export interface RequestRedelivery extends OnItsWay {
  /** Where webhooks of this endpoint go now. */
  readonly url: string;
}

/**
 * Sends a delivery again, with the schedule from its start, to the present URL. No event while it is being sent and is
 * to go there already.
 */
export const requestRedelivery = (
  state: Delivery,
  { url, ...onItsWay }: RequestRedelivery,
): readonly WebhookDeliveryEvent[] =>
  state.underWay !== null && isOnItsWayTo(state, url, onItsWay)
    ? []
    : [{ type: 'WebhookRedeliveryRequested', data: { url } }];
