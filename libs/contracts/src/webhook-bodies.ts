import { z } from 'zod';

/** What customers receive (decisions, section 5): flat fields beside the envelope's. */

const instant = z.iso.datetime({ offset: true });
const variables = z.record(z.string(), z.json());

const envelope = z.object({
  /** Identifies what happened; the same for every webhook about it. */
  event_id: z.uuid(),
  /** 1, 2, 3 … without a gap for each event kind of the account. */
  sequence: z.int().positive(),
  occurred_at: instant,
  /** Only when a back-fill has it sent again; then the header `webhook-replay: true` says so too. */
  replay: z.literal(true).optional(),
});

const callFields = z.object({
  id: z.int(),
  assistant_id: z.int(),
  customer_phone: z.string(),
  assistant_phone: z.string().nullable(),
  direction: z.enum(['inbound', 'outbound']),
  /** Seconds. */
  duration: z.int(),
  status: z.enum(['completed', 'no_answer', 'busy', 'failed']),
  extracted_variables: variables,
  input_variables: variables,
  transcript: z.array(z.object({ role: z.string(), text: z.string() })),
  /** Only when the assistant's `include_recording_in_webhook` is true. */
  recording_url: z.string().nullable().optional(),
  created_at: instant,
  finished_at: instant,
  lead: z.object({ id: z.int(), phone_number: z.string(), variables }).nullable(),
  campaign: z.object({ id: z.int(), name: z.string() }).nullable(),
});

export const voiceEventFields = z.object({
  type: z.enum([
    'call_permission_requested',
    'call_permission_granted',
    'call_permission_denied',
    'voice_call',
  ]),
  sender_id: z.int(),
  customer_phone: z.string(),
  conversation_id: z.uuid().nullable(),
  status: z.string().nullable(),
  expires_at: instant.nullable(),
  can_call: z.boolean(),
});

export type CallWebhookFields = z.output<typeof callFields>;

/** By the value of `event`. */
export const webhookBodies = {
  post_call: z.object({ event: z.literal('post_call'), ...envelope.shape, ...callFields.shape }),
  inbound_call: z.object({ event: z.literal('inbound_call'), ...envelope.shape, ...callFields.shape }),
  chatapp_voice: z.object({
    event: z.literal('chatapp_voice'),
    ...envelope.shape,
    ...voiceEventFields.shape,
  }),
} as const;
