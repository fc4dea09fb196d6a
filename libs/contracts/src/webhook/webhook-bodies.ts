import { z } from 'zod';

/** What customers receive (decisions, section 5): flat fields beside the envelope's. */

const instant = z.iso.datetime({ offset: true });
const variables = z.record(z.string(), z.json());

const envelope = z.object({
  event_id: z.uuid().describe('Identifies what happened; the same for every webhook about it.'),
  sequence: z
    .int()
    .positive()
    .describe(
      '1, 2, 3 … without a gap for each event kind of the account; all its assistants share the numbers.',
    ),
  occurred_at: instant,
  replay: z
    .literal(true)
    .optional()
    .describe('Only when a back-fill has it sent again; then the header `webhook-replay: true` says so too.'),
});

const callFields = z.object({
  id: z.int(),
  assistant_id: z.int(),
  customer_phone: z.string(),
  assistant_phone: z.string().nullable(),
  direction: z.enum(['inbound', 'outbound']),
  duration: z.int().describe('Seconds.'),
  status: z.enum(['completed', 'no_answer', 'busy', 'failed']),
  extracted_variables: variables,
  input_variables: variables,
  transcript: z.array(z.object({ role: z.string(), text: z.string() })),
  recording_url: z
    .string()
    .nullable()
    .optional()
    .describe("Only when the assistant's `include_recording_in_webhook` is true."),
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
  status: z
    .string()
    .nullable()
    .describe(
      'Of a call how it ended: completed, no_answer, busy or failed. Else of the permission: pending, granted, rejected, revoked or expired; null when there is none.',
    ),
  expires_at: instant.nullable().describe('Of a temporary permission.'),
  can_call: z.boolean().describe('Whether the customer may be called from then on.'),
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
