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
  occurred_at: instant.describe('When it happened; retries and redeliveries do not change it.'),
  replay: z
    .literal(true)
    .optional()
    .describe('Only when a back-fill has it sent again; then the header `webhook-replay: true` says so too.'),
});

const callFields = z.object({
  id: z.int().describe('Of the call, for `GET /api/user/calls/{id}`.'),
  assistant_id: z.int().describe('Who spoke, or was to.'),
  customer_phone: z.string().describe('The other side, in E.164.'),
  assistant_phone: z.string().nullable().describe("The account's side."),
  direction: z.enum(['inbound', 'outbound']).describe('`inbound` for calls to the account.'),
  duration: z.int().describe('Seconds.'),
  status: z.enum(['completed', 'no_answer', 'busy', 'failed']).describe('How it ended.'),
  extracted_variables: variables.describe('What was drawn from it, by `post_call_schema`.'),
  input_variables: variables.describe('What the assistant was filled with.'),
  transcript: z
    .array(
      z.object({
        role: z
          .string()
          .describe(
            'Who said it, as the agent calls them: `assistant`, `customer`, …; `unknown` where it does not say.',
          ),
        text: z.string().describe('What was said.'),
      }),
    )
    .describe('In the order of the call; empty where nothing was said, or the agent left none.'),
  recording_url: z
    .string()
    .nullable()
    .optional()
    .describe(
      "Only when the assistant's `include_recording_in_webhook` is true; null where there is none by then.",
    ),
  created_at: instant.describe('When it was asked for, or came in.'),
  finished_at: instant.describe('When it was over.'),
  lead: z
    .object({
      id: z.int().describe('For `PUT /api/user/leads/{id}`.'),
      phone_number: z.string().describe('In E.164.'),
      variables: variables.describe('What it was filled with, by name.'),
    })
    .nullable()
    .describe(
      'Whom a campaign called, as they were by then; null for other calls, and for a lead that was deleted.',
    ),
  campaign: z
    .object({
      id: z.int().describe('As lists of campaigns have it.'),
      name: z.string().describe('For people.'),
    })
    .nullable()
    .describe('The campaign that called; null for other calls.'),
});

export const voiceEventFields = z.object({
  type: z
    .enum(['call_permission_requested', 'call_permission_granted', 'call_permission_denied', 'voice_call'])
    .describe(
      'What happened: `voice_call` is a call that is over, `call_permission_denied` a revocation as well.',
    ),
  sender_id: z.int().describe('Of the account.'),
  customer_phone: z.string().describe('The other side, in E.164.'),
  conversation_id: z
    .uuid()
    .nullable()
    .describe('For `GET /api/user/conversations/{uuid}`; null while there is none.'),
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
