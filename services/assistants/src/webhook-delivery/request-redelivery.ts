import type { WebhookDeliveryEvent } from '@parley/contracts';
import { type Delivery, isOnItsWayTo, type OnItsWay } from './delivery.ts';

export interface RequestRedelivery extends OnItsWay {
  /** Where such webhooks go now. */
  readonly url: string;
}

/** Begins the schedule anew, at the URL of now. Nothing happens while it is being sent and meant to go there already. */
export const requestRedelivery = (
  state: Delivery,
  { url, ...onItsWay }: RequestRedelivery,
): readonly WebhookDeliveryEvent[] =>
  state.underWay !== null && isOnItsWayTo(state, url, onItsWay)
    ? []
    : [{ type: 'WebhookRedeliveryRequested', data: { url } }];
