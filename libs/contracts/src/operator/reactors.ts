import { z } from 'zod';
import { defineOperatorMessage } from './operator-message.ts';

/** How far each reactor of the service is in the log that it follows, and at which event it stands. */
export const listReactors = defineOperatorMessage({
  name: 'list-reactors',
  kind: 'query',
  input: z.object({}),
  output: z.object({
    reactors: z.array(
      z.object({
        name: z.string(),
        /** Whose log; null when it is the service's own. */
        follows: z.string().nullable(),
        /** All up to here is done. */
        position: z.int(),
        /** Where that log ends; where the reactor is, while the service that has the log does not answer. */
        head: z.int(),
        /** The first event that is not done. */
        next: z
          .object({
            position: z.int(),
            event_id: z.string(),
            type: z.string(),
            stream_id: z.string(),
            account_id: z.int().nullable(),
            recorded_at: z.string(),
          })
          .nullable(),
        /** For how long that has been on record, by the platform clock; 0 when there is none. */
        lag_seconds: z.number(),
        /** Why the log cannot be read. */
        error: z.string().nullable(),
      }),
    ),
  }),
});
