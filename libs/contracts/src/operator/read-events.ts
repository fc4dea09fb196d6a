import { z } from 'zod';
import { recordedEvent } from '../history/recorded-event.ts';
import { defineOperatorMessage } from './operator-message.ts';

/** A page of the service's log in position order: for operators, and for other services and subscribers that missed events. */
export const readEvents = defineOperatorMessage({
  name: 'read-events',
  kind: 'query',
  input: z.object({
    after: z.int().nonnegative().describe('The last position that was read; 0 for the beginning.'),
    limit: z.int().min(1).max(1000).describe('How many events the page holds at most.'),
    stream_id: z.string().optional().describe('Only those of this one, such as `folder-12`.'),
    types: z.array(z.string()).optional().describe('Only those of any of these types.'),
    account_id: z.int().optional().describe('Only those of this account.'),
    account_ids: z.array(z.int()).max(1000).optional().describe('Only those of any of these accounts.'),
    positions: z
      .array(z.int())
      .max(1000)
      .optional()
      .describe('Only those at these positions, which are found however far they are apart.'),
  }),
  output: z.object({
    events: z.array(recordedEvent).describe('In order of their positions.'),
    head: z.int().describe('The position of the newest event of the log.'),
    reached: z
      .int()
      .optional()
      .describe(
        'The last position looked at: all that was asked for up to here is in this page and those before it.',
      ),
  }),
});
