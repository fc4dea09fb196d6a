import { z } from 'zod';
import { defineInternal } from './internal.ts';

/** One of the account's phone numbers. Rejected with `not_found` when it is unknown, released or another account's. */
export const getPhoneNumber = defineInternal({
  name: 'get-phone-number',
  kind: 'query',
  service: 'telephony',
  input: z.object({ phone_number_id: z.int().positive() }),
  output: z.object({
    id: z.int(),
    phone_number: z.string(),
    /** A caller ID is shown to those who are called; nobody can call it. */
    kind: z.enum(['normal', 'sip', 'caller_id']),
  }),
});
