import { z } from 'zod';
import { defineOperatorMessage } from './operator-message.ts';

/** Events that reactors gave up, oldest first. */
export const listDeadLetters = defineOperatorMessage({
  name: 'list-dead-letters',
  kind: 'query',
  input: z.object({ after: z.int().nonnegative(), limit: z.int().min(1).max(500) }),
  output: z.object({
    dead_letters: z.array(
      z.object({
        id: z.int(),
        processor: z.string(),
        /** Of the log that the processor follows, which may be another service's. */
        position: z.int(),
        event_id: z.string(),
        /** What is known of the event; null where it is another service's that does not answer, or its reactor is no more. */
        event: z
          .object({ type: z.string(), stream_id: z.string(), account_id: z.int().nullable() })
          .nullable(),
        error: z.string(),
        attempts: z.int(),
        given_up_at: z.string(),
      }),
    ),
  }),
});

/**
 * Has the event of one reacted to again; what it caused before is not caused twice. A letter that is done is gone. Rejected
 * with `not_found`, and with `unavailable` where it could not be done just now: the letter is what it was then.
 */
export const retryDeadLetter = defineOperatorMessage({
  name: 'retry-dead-letter',
  kind: 'command',
  input: z.object({ id: z.int().positive() }),
  output: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('done') }),
    z.object({ outcome: z.literal('failed'), error: z.string() }),
  ]),
});

/** Gives one up for good. Rejected with `not_found`. */
export const discardDeadLetter = defineOperatorMessage({
  name: 'discard-dead-letter',
  kind: 'command',
  input: z.object({ id: z.int().positive() }),
  output: z.object({ discarded: z.literal(true) }),
});
