import { z } from 'zod';
import { defineInternal } from './internal-message.ts';

/** One of the account's phone numbers. Rejected with `not_found` when it is unknown, released or another account's. */
export const getPhoneNumber = defineInternal({
  name: 'get-phone-number',
  kind: 'query',
  service: 'telephony',
  input: z.object({ phone_number_id: z.int().positive() }),
  output: z.object({
    id: z.int(),
    phone_number: z.string(),
    country_code: z.string(),
    /** A caller ID is shown to those who are called; nobody can call it. */
    kind: z.enum(['normal', 'sip', 'caller_id']),
    /** False: it is for SMS alone, and nobody can call it. */
    takes_calls: z.boolean().default(true),
  }),
});

/**
 * Calls a customer who allows it, from a sender of the chat app. Effective once by its command id; answers as soon as
 * the intent is on record, and `CallEnded` says later what came of it.
 */
export const placeChatCall = defineInternal({
  name: 'place-chat-call',
  kind: 'command',
  service: 'telephony',
  input: z.object({
    sender_id: z.int().positive(),
    /** Both in E.164. */
    sender_phone: z.string(),
    customer_phone: z.string(),
    /** Who speaks; null when no assistant answers on the sender. */
    assistant_id: z.int().positive().nullable(),
  }),
  output: z.object({ reference: z.string() }),
});

/** What `place-chat-call` answered to the same command id; `not_found` when it never placed a call for it. */
export const getChatCallAnswer = defineInternal({
  name: 'get-chat-call-answer',
  kind: 'query',
  service: 'telephony',
  input: z.object({}),
  output: placeChatCall.output,
});
