import { z } from 'zod';

/** What customers are told about; each kind has its own sequence within an account. */
export const webhookKinds = ['post_call', 'inbound_call', 'chatapp_voice'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

export const webhookDeliveryStatuses = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

/** Why we turned an endpoint off ourselves: it answered 410, or nothing reached it for five days. */
export const endpointFaults = ['gone', 'failing'] as const;
export type EndpointFault = (typeof endpointFaults)[number];

/** Where webhooks of a kind go: to an assistant's URL, or (voice events of chat apps) to the account's. */
export const webhookEndpoint = z.object({
  event: z.enum(webhookKinds),
  assistant_id: z.int().nullable(),
  url: z.string(),
});
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;
