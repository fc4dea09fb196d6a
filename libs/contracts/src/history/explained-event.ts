import { z } from 'zod';

/** The event that an answer rests on, as explanations show it. */
export const explainedEvent = z
  .object({
    event_id: z.string(),
    type: z.string(),
    position: z.int().describe('Of the log of its service: good for `as_of`.'),
    occurred_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'ExplainedEvent' });
export type ExplainedEvent = z.output<typeof explainedEvent>;
