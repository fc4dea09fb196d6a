import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';
import { endpointFaults, webhookEndpoint, webhookKinds } from '../webhook/webhook-kinds.ts';

const queue = { service: 'assistants', category: 'webhook-queue', version: 1 } as const;
const delivery = { service: 'assistants', category: 'webhook-delivery', version: 1 } as const;
const backfill = { service: 'assistants', category: 'webhook-backfill', version: 1 } as const;
const secret = { service: 'assistants', category: 'webhook-secret', version: 1 } as const;
const voice = { service: 'assistants', category: 'voice-webhook', version: 1 } as const;

const instant = z.iso.datetime();
const attempt = z.int().positive();
const outcome = z.object({ attempt, started_at: instant, endpoint: webhookEndpoint });
const answered = outcome.extend({ duration_ms: z.int().nonnegative() });

/** Its stream holds nothing else, so its version there is the customer's gap-free `sequence`. */
export const WebhookQueued = defineEvent({
  ...queue,
  type: 'WebhookQueued',
  summary: 'A webhook was made; its body never changes from here on.',
  personal: { subjectIn: ['body', 'customer_phone'], fields: ['body'] },
  data: z.object({
    delivery_id: z.string(),
    event_id: z.uuid().describe('Identifies what the customer is told of.'),
    sequence: z.int().positive(),
    endpoint: webhookEndpoint,
    body: z.string().describe('The exact bytes that are signed and sent, as UTF-8.'),
    occurred_at: instant,
  }),
});

export const WebhookAttemptStarted = defineEvent({
  ...delivery,
  type: 'WebhookAttemptStarted',
  summary: 'The webhook is about to be sent.',
  data: z.object({ attempt, url: z.string() }),
});
export const WebhookAttemptSucceeded = defineEvent({
  ...delivery,
  type: 'WebhookAttemptSucceeded',
  summary: 'The endpoint took the webhook.',
  data: answered.extend({ status_code: z.int() }),
});
export const WebhookAttemptFailed = defineEvent({
  ...delivery,
  type: 'WebhookAttemptFailed',
  summary: 'The endpoint did not take the webhook.',
  personal: { mentions: ['error'] },
  data: answered.extend({
    status_code: z.int().nullable(),
    error: z.string(),
    retry_in_ms: z
      .int()
      .nonnegative()
      .nullable()
      .describe('Milliseconds from this event to the next attempt; null when there is none.'),
    endpoint_fault: z
      .enum(endpointFaults)
      .nullable()
      .describe('Set when this attempt turns the endpoint off.'),
  }),
});
export const WebhookAttemptInterrupted = defineEvent({
  ...delivery,
  type: 'WebhookAttemptInterrupted',
  summary: 'We were interrupted while sending; whether the endpoint took the webhook is not known.',
  data: outcome,
});
export const WebhookExhausted = defineEvent({
  ...delivery,
  type: 'WebhookExhausted',
  summary: 'All attempts failed; the webhook is not sent again by itself.',
  data: z.object({ attempts: z.int().positive() }),
});
export const WebhookCancelled = defineEvent({
  ...delivery,
  type: 'WebhookCancelled',
  version: 2,
  summary:
    'The webhook is no longer sent: its endpoint was turned off or is elsewhere now, or the person it is about was erased.',
  data: z.object({ reason: z.enum(['turned_off', 'url_changed', 'erased']) }),
  earlier: [
    // It knew fewer reasons.
    earlierVersion(z.object({ reason: z.enum(['turned_off', 'url_changed']) }), (data) => data),
  ],
});
export const WebhookRedeliveryRequested = defineEvent({
  ...delivery,
  type: 'WebhookRedeliveryRequested',
  summary: 'The webhook is to be sent again.',
  data: z.object({ url: z.string() }),
});

export const WebhookReplayRequested = defineEvent({
  ...delivery,
  type: 'WebhookReplayRequested',
  summary: 'A back-fill has the webhook sent again, marked as a replay.',
  data: z.object({ url: z.string(), backfill_id: z.uuid() }),
});

export const WebhookBackfillRequested = defineEvent({
  ...backfill,
  type: 'WebhookBackfillRequested',
  summary: 'All webhooks of a kind since a moment are to be sent again.',
  data: z.object({
    backfill_id: z.uuid(),
    event: z.enum(webhookKinds),
    since: instant,
    from_sequence: z
      .int()
      .positive()
      .describe("By the numbers of the account's sequence of that kind, both included."),
    to_sequence: z.int().positive(),
  }),
});
export const WebhookBackfillFinished = defineEvent({
  ...backfill,
  type: 'WebhookBackfillFinished',
  summary: 'Every webhook of a back-fill is on its way, but for those whose webhook is off.',
  data: z.object({ backfill_id: z.uuid() }),
});

/** Secrets themselves are never in an event: `key_id` names one. */
export const WebhookSecretCreated = defineEvent({
  ...secret,
  type: 'WebhookSecretCreated',
  summary: 'The account got a secret that signs its webhooks.',
  data: z.object({ key_id: z.uuid() }),
});
export const WebhookSecretRotated = defineEvent({
  ...secret,
  type: 'WebhookSecretRotated',
  summary: 'The account got a new secret; the previous one signs too for a while.',
  data: z.object({ key_id: z.uuid(), previous_key_id: z.uuid(), previous_valid_until: instant }),
});

export const VoiceWebhookSet = defineEvent({
  ...voice,
  type: 'VoiceWebhookSet',
  summary: 'Voice events of chat apps go to another URL, or nowhere.',
  data: z.object({ url: z.string().nullable() }),
});
export const VoiceWebhookDisabled = defineEvent({
  ...voice,
  type: 'VoiceWebhookDisabled',
  summary: 'The voice webhook was turned off, because its URL does not take webhooks any more.',
  data: z.object({ url: z.string(), reason: z.enum(endpointFaults) }),
});

export type WebhookQueuedEvent = EventOf<typeof WebhookQueued>;
export type WebhookDeliveryEvent = EventOf<
  | typeof WebhookAttemptStarted
  | typeof WebhookAttemptSucceeded
  | typeof WebhookAttemptFailed
  | typeof WebhookAttemptInterrupted
  | typeof WebhookExhausted
  | typeof WebhookCancelled
  | typeof WebhookRedeliveryRequested
  | typeof WebhookReplayRequested
>;
export type WebhookBackfillEvent = EventOf<typeof WebhookBackfillRequested | typeof WebhookBackfillFinished>;
export type WebhookSecretEvent = EventOf<typeof WebhookSecretCreated | typeof WebhookSecretRotated>;
export type VoiceWebhookEvent = EventOf<typeof VoiceWebhookSet | typeof VoiceWebhookDisabled>;
