import { z } from 'zod';
import { defineOperatorMessage } from './operator-message.ts';

/**
 * Sends the log to JetStream again from a position on, with the same ids. Answered once the first of it is there: from then
 * on the position of `get-publication` tells how far it is.
 */
export const publishAgain = defineOperatorMessage({
  name: 'publish-events',
  kind: 'command',
  input: z.object({ from: z.int().positive() }),
  output: z.object({
    /** The newest event, up to which it is sent again; what comes later follows as ever. */
    until: z.int(),
  }),
});

/** How far JetStream has the log: position (which goes back when it is sent again) and sequence of its newest message. */
export const getPublication = defineOperatorMessage({
  name: 'get-publication',
  kind: 'query',
  input: z.object({}),
  output: z.object({ position: z.int(), sequence: z.int(), head: z.int() }),
});
