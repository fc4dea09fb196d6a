import type { WebhookDeliveryEvent } from '@parley/contracts';
import type { Delivery } from './delivery.ts';

/** Begins the schedule anew, at the URL of now. Nothing happens while an attempt is under way there already. */
export const requestRedelivery = (
  { underWay, status }: Delivery,
  { url }: { readonly url: string },
): readonly WebhookDeliveryEvent[] =>
  underWay !== null && status === 'pending' ? [] : [{ type: 'WebhookRedeliveryRequested', data: { url } }];
