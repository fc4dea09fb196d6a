import { z } from 'zod';
import { asOf, moment, nextCursor, pathId, perPage, textUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';
import { webhookDeliveryStatuses, webhookKinds } from '../webhook/webhook-kinds.ts';

const webhooks = {
  service: 'assistants',
  tag: 'Webhooks',
  errorShape: 'message',
} as const;

const event = z.enum(webhookKinds);
const timestamp = z.iso.datetime();
const status = z.enum(webhookDeliveryStatuses);

/**
 * One try to deliver; `error` says in plain words why it failed, without details of our network. The duration of an
 * attempt that was interrupted is not known.
 */
const attempt = z.object({
  attempt: z.int().describe('Which one it is, counted from 1 over all redeliveries.'),
  at: timestamp.describe('When it began.'),
  duration_ms: z.int().nullable().describe('Null while it is under way, and where it was interrupted.'),
  status_code: z.int().nullable().describe('Null where there was no answer.'),
  error: z.string().nullable().describe('For people: why it failed; null where it did not.'),
});

const delivery = z
  .object({
    id: z.string().describe('Also the `webhook-id` header: constant over attempts and redeliveries.'),
    event,
    event_id: z.string().describe('The event that it tells of.'),
    assistant_id: z.int().nullable().describe("Null for the account's own webhook."),
    sequence: z.int().describe('1, 2, 3 … without a gap for each kind.'),
    url: z.string(),
    status,
    attempts: z.array(attempt).describe('The newest 100; `attempt` counts all that there were.'),
    next_attempt_at: timestamp.nullable().describe('Null when there is none.'),
    created_at: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });

export const listWebhookDeliveries = defineOperation({
  ...webhooks,
  name: 'list-webhook-deliveries',
  kind: 'query',
  method: 'GET',
  path: '/api/user/webhook-deliveries',
  summary: 'Webhook deliveries with their attempts, newest first',
  description: 'Each says where it went or goes, what became of each attempt, and when the next one is.',
  query: z.object({
    event: event.optional().describe('Only webhooks of this kind.'),
    status: status.optional().describe('Only deliveries in this state.'),
    assistant_id: pathId().optional().describe('Only webhooks of this assistant.'),
    cursor: textUpTo(255).optional().describe('`next_cursor` of the page before.'),
    per_page: perPage(15),
  }),
  success: { status: 200, schema: z.object({ data: z.array(delivery), next_cursor: nextCursor() }) },
});

export const redeliverWebhook = defineOperation({
  ...webhooks,
  name: 'redeliver-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/webhook-deliveries/{id}/redeliver',
  summary: 'Send a webhook again, with the same id',
  description:
    'Goes to the URL that is set now and begins the schedule anew; refused when the webhook is off, or about a person who was erased. One that is being sent at this moment is left to arrive.',
  params: z.object({ id: textUpTo(64).describe('Of the delivery.') }),
  rejections: ['webhook_off', 'webhook_erased'],
  notFoundMessage: 'Delivery not found',
  success: { status: 200, schema: z.object({ message: z.string(), data: delivery }) },
});

export const backfillWebhooks = defineOperation({
  ...webhooks,
  name: 'backfill-webhooks',
  kind: 'command',
  method: 'POST',
  path: '/api/user/webhook-deliveries/backfill',
  summary: 'Send all webhooks of a kind since a moment again, marked as replays',
  description: [
    'For receivers that lost what they were told. Each goes to the URL that is set now, under the same `webhook-id` and with the same `event_id` and `sequence`; the body has `"replay":true` and the request the header `webhook-replay: true`. What was refused and waits for its next try is tried at once; what is about to be sent anyway is left as it is, and what belongs to a webhook that is off by now, or is about a person who was erased, is not sent.',
    'At most 10,000 at a time, the oldest first: `next_since` says where to go on. They leave at no more than 50 a second. The same back-fill again, while the first is under way (until each was tried), is answered like the first and sends nothing twice.',
  ].join('\n\n'),
  rateLimits: [{ name: 'per_minute', max: 10, windowMs: 60_000 }],
  body: z.object({
    event: event.describe('The kind.'),
    since: moment().describe('From when on: ISO 8601.'),
  }),
  rejections: ['webhook_off'],
  example: { event: 'post_call', since: '2026-01-01T00:00:00Z' },
  success: {
    status: 200,
    schema: z.object({
      message: z.string(),
      data: z.object({
        backfill_id: z.uuid().nullable().describe('Null when there is nothing to send.'),
        event,
        since: timestamp,
        webhooks: z.int().describe('How many there are in its range.'),
        from_sequence: z
          .int()
          .nullable()
          .describe('Of the first webhook in its range; null when there is none.'),
        to_sequence: z.int().nullable().describe('Of the last one.'),
        next_since: timestamp
          .nullable()
          .describe('`since` of the back-fill that follows; null when this one has all.'),
      }),
    }),
  },
});

const secret = z
  .object({
    secret: z.string().describe('The key that signs now, `whsec_` and base64.'),
    previous_secret: z
      .string()
      .nullable()
      .describe('Still valid until `previous_valid_until`, after a rotation.'),
    previous_valid_until: timestamp.nullable().describe('Null when there is no previous one.'),
  })
  .meta({ id: 'WebhookSecret' });

export const getWebhookSecret = defineOperation({
  ...webhooks,
  name: 'get-webhook-secret',
  kind: 'query',
  method: 'GET',
  path: '/api/user/webhook-secret',
  summary: 'The secret that signs webhooks',
  description:
    'Webhooks are signed as Standard Webhooks 1.0 says: HMAC-SHA256 over id, time and body, in the header `webhook-signature`.',
  success: { status: 200, schema: z.object({ data: secret }) },
});

export const rotateWebhookSecret = defineOperation({
  ...webhooks,
  name: 'rotate-webhook-secret',
  kind: 'command',
  method: 'POST',
  path: '/api/user/webhook-secret/rotate',
  summary: 'Make a new secret; the old one signs too for 24 hours',
  description:
    'Within that time webhooks carry both signatures: a receiver that knows either takes them. A second rotation within it ends the oldest secret at once: two are valid, never three.',
  success: { status: 200, schema: z.object({ message: z.string(), data: secret }) },
});

const voiceWebhook = z.object({ url: z.string().nullable() });

export const getVoiceWebhook = defineOperation({
  ...webhooks,
  name: 'get-voice-webhook',
  kind: 'query',
  method: 'GET',
  path: '/api/user/voice-webhook',
  summary: 'Where chat-app voice events go',
  description:
    '`url` is null while they go nowhere. With `as_of` (a timestamp or a position) as it was at that moment.',
  query: z.object({ as_of: asOf() }),
  isVersioned: true,
  success: { status: 200, schema: z.object({ data: voiceWebhook }) },
});

export const setVoiceWebhook = defineOperation({
  ...webhooks,
  name: 'set-voice-webhook',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/voice-webhook',
  summary: 'Where chat-app voice events go; null turns them off',
  description: 'What waits for another URL is not sent any more.',
  body: z.object({ url: textUpTo(2048).nullable().describe('Where they are sent, by POST.') }),
  example: { url: 'https://example.com/voice-calls' },
  success: {
    status: 200,
    schema: z.object({ message: z.string(), data: voiceWebhook }),
  },
});
