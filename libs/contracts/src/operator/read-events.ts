import { z } from 'zod';
import { recordedEvent } from '../history/recorded-event.ts';
import { defineOperatorMessage } from './operator-message.ts';

/** A page of the service's log in position order: for operators, and for other services and subscribers that missed events. */
export const readEvents = defineOperatorMessage({
  name: 'read-events',
  kind: 'query',
  input: z.object({
    after: z.int().nonnegative(),
    limit: z.int().min(1).max(1000),
    stream_id: z.string().optional(),
    types: z.array(z.string()).optional(),
    account_id: z.int().optional(),
    /** Only those of any of these accounts. */
    account_ids: z.array(z.int()).max(1000).optional(),
    /** Only those at these positions, which are found however far they are apart. */
    positions: z.array(z.int()).max(1000).optional(),
  }),
  output: z.object({
    events: z.array(recordedEvent),
    head: z.int(),
    reached: z
      .int()
      .optional()
      .describe(
        'The last position looked at: all that was asked for up to here is in this page and those before it.',
      ),
  }),
});
