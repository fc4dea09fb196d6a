import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameter, pathId, textUpTo } from '../text.ts';
import { webhookDeliveryStatuses, webhookKinds } from '../webhook-kinds.ts';

const webhooks = {
  service: 'assistants',
  tag: 'Webhooks',
  errorShape: 'message',
  notFoundMessage: 'Delivery not found',
} as const;

const event = z.enum(webhookKinds);
const timestamp = z.iso.datetime();
const status = z.enum(webhookDeliveryStatuses);

/**
 * One try to deliver; `error` says in plain words why it failed, without details of our network. The duration of an
 * attempt that was interrupted is not known.
 */
const attempt = z.object({
  attempt: z.int(),
  at: timestamp,
  duration_ms: z.int().nullable(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
});

const delivery = z.object({
  /** Also the `webhook-id` header: constant over attempts and redeliveries. */
  id: z.string(),
  event,
  event_id: z.string(),
  /** Null for the account's own webhook. */
  assistant_id: z.int().nullable(),
  sequence: z.int(),
  url: z.string(),
  status,
  attempts: z.array(attempt),
  next_attempt_at: timestamp.nullable(),
  created_at: timestamp,
});

export const listWebhookDeliveries = defineOperation({
  ...webhooks,
  name: 'list-webhook-deliveries',
  kind: 'query',
  method: 'GET',
  path: '/api/user/webhook-deliveries',
  summary: 'Webhook deliveries with their attempts, newest first',
  query: z.object({
    event: event.optional(),
    status: status.optional(),
    assistant_id: pathId().optional(),
    cursor: textUpTo(255).optional(),
    per_page: pageParameter(15, 1, 100),
  }),
  success: { status: 200, schema: z.object({ data: z.array(delivery), next_cursor: z.string().nullable() }) },
});

export const redeliverWebhook = defineOperation({
  ...webhooks,
  name: 'redeliver-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/webhook-deliveries/{id}/redeliver',
  summary: 'Send a webhook again, with the same id',
  description:
    'Goes to the URL that is set now and begins the schedule anew; refused when the webhook is off. One that is being sent at this moment is left to arrive.',
  params: z.object({ id: textUpTo(64) }),
  success: { status: 200, schema: z.object({ message: z.string(), data: delivery }) },
});

const secret = z.object({
  /** The key that signs now, `whsec_` and base64. */
  secret: z.string(),
  /** Still valid until `previous_valid_until`, after a rotation. */
  previous_secret: z.string().nullable(),
  previous_valid_until: timestamp.nullable(),
});

export const getWebhookSecret = defineOperation({
  ...webhooks,
  name: 'get-webhook-secret',
  kind: 'query',
  method: 'GET',
  path: '/api/user/webhook-secret',
  summary: 'The secret that signs webhooks',
  success: { status: 200, schema: z.object({ data: secret }) },
});

export const rotateWebhookSecret = defineOperation({
  ...webhooks,
  name: 'rotate-webhook-secret',
  kind: 'command',
  method: 'POST',
  path: '/api/user/webhook-secret/rotate',
  summary: 'Make a new secret; the old one signs too for 24 hours',
  success: { status: 200, schema: z.object({ message: z.string(), data: secret }) },
});

export const setVoiceWebhook = defineOperation({
  ...webhooks,
  name: 'set-voice-webhook',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/voice-webhook',
  summary: 'Where chat-app voice events go; null turns them off',
  description: 'What waits for another URL is not sent any more.',
  body: z.object({ url: textUpTo(2048).nullable() }),
  success: {
    status: 200,
    schema: z.object({ message: z.string(), data: z.object({ url: z.string().nullable() }) }),
  },
});
