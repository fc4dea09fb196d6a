import type { WebhookDeliveryEvent } from '@parley/contracts';
import { type Delivery, isOnItsWayTo } from './delivery.ts';

export interface RequestRedelivery {
  /** Where such webhooks go now. */
  readonly url: string;
  /** Where it was to go when it was queued. */
  readonly queuedUrl: string;
}

/** Begins the schedule anew, at the URL of now. Nothing happens while it is being sent and meant to go there already. */
export const requestRedelivery = (
  state: Delivery,
  { url, queuedUrl }: RequestRedelivery,
): readonly WebhookDeliveryEvent[] =>
  state.underWay !== null && isOnItsWayTo(state, url, { queuedUrl })
    ? []
    : [{ type: 'WebhookRedeliveryRequested', data: { url } }];
