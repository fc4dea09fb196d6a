import { z } from 'zod';
import { voiceEventFields } from '../webhook/webhook-bodies.ts';
import { defineInternal } from './internal-message.ts';

/**
 * Tells an account's voice webhook about something that happened on a chat app. Queued at most once for each
 * `event_id`, whatever the command ids; `delivery_id` is null when no voice webhook is set, or the
 * customer is erased.
 */
export const queueWebhook = defineInternal({
  name: 'queue-webhook',
  kind: 'command',
  service: 'assistants',
  input: z.object({
    account_id: z.int().positive(),
    event: z.literal('chatapp_voice'),
    event_id: z.uuid().toLowerCase(),
    occurred_at: z.iso.datetime(),
    fields: voiceEventFields,
  }),
  output: z.object({ delivery_id: z.string().nullable() }),
});

/**
 * Turns off the webhook after calls of every assistant of the asking account that goes to an automation's address, of
 * which nobody hears any more; harmless when none does. With `but_for`, the assistant that the automation is bound to now:
 * of every other one, as long as that one's goes there. `token_hash` is SHA-256, hexadecimal, of the token that the
 * address ends with.
 */
export const releaseAutomationWebhook = defineInternal({
  name: 'release-automation-webhook',
  kind: 'command',
  service: 'assistants',
  input: z.object({ token_hash: z.string(), but_for: z.int().positive().optional() }),
  output: z.object({ assistants: z.int() }),
});
