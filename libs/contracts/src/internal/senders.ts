import { z } from 'zod';
import { defineInternal } from './internal-message.ts';

/** The chat-app sender, of whichever account, that has this number (in E.164). */
export const getSenderOfNumber = defineInternal({
  name: 'get-sender-of-number',
  kind: 'query',
  service: 'messaging',
  input: z.object({ phone_number: z.string() }),
  output: z.object({
    sender: z.object({ id: z.int(), account_id: z.int(), assistant_id: z.int().nullable() }).nullable(),
  }),
});
