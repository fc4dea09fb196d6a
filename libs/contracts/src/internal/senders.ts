import { z } from 'zod';
import { defineInternal } from './internal-message.ts';

/**
 * The account with which a sender's calls go out by the chat platform's SIP server at present; null when that server
 * takes no calls of the sender. Rejected with `not_found` when the account has no such sender, with `unavailable`
 * when the platform gives no answer.
 */
export const getSipAccountOfSender = defineInternal({
  name: 'get-sip-account-of-sender',
  kind: 'query',
  service: 'messaging',
  input: z.object({ sender_id: z.int().positive() }),
  output: z.object({ sip_account: z.object({ username: z.string(), password: z.string() }).nullable() }),
});

/**
 * The chat-app sender, of whichever account, that has this number (in E.164); `null` also where another account had it at
 * `called_at` (ISO 8601).
 */
export const getSenderOfNumber = defineInternal({
  name: 'get-sender-of-number',
  kind: 'query',
  service: 'messaging',
  input: z.object({ phone_number: z.string(), called_at: z.string().optional() }),
  output: z.object({
    sender: z.object({ id: z.int(), account_id: z.int(), assistant_id: z.int().nullable() }).nullable(),
  }),
});
