import { z } from 'zod';
import { recordedEvent } from '../history/recorded-event.ts';
import { defineOperatorMessage } from './operator-message.ts';

/** The service's events that one request led to, directly or not, oldest first; `account_id` narrows to one account's. */
export const findTrace = defineOperatorMessage({
  name: 'find-trace',
  kind: 'query',
  input: z.object({ request_id: z.string(), account_id: z.int().optional() }),
  output: z.object({ events: z.array(recordedEvent), is_cut: z.boolean() }),
});
