import { z } from 'zod';

export const json = z.record(z.string(), z.json());

const eventActor = z.object({ kind: z.string(), id: z.string() }).meta({ id: 'EventActor' });

const eventMetadata = z
  .object({
    correlation_id: z.string(),
    causation_id: z.string(),
    command_id: z.string().nullable(),
    actor: eventActor,
    traceparent: z.string().optional(),
    chain_depth: z
      .int()
      .optional()
      .describe('How deep the run of an automation is that asked for it, or for what it follows from.'),
    imported: z
      .literal(true)
      .optional()
      .describe('It happened in another installation, and came from there: nothing is done about it here.'),
  })
  .meta({ id: 'EventMetadata' });

/** An event as it leaves its service. `position` is dense: the predecessor's is `position - 1`. */
export const recordedEvent = z.object({
  position: z.int(),
  stream_id: z.string(),
  stream_version: z.int(),
  category: z.string(),
  account_id: z.int().nullable(),
  type: z.string(),
  schema_version: z.int(),
  event_id: z.string(),
  data: json,
  sealed: z
    .literal(true)
    .optional()
    .describe(
      'Only on the bus: what belongs to people is not in `data`; `read-events` of the service has it (ADR 18).',
    ),
  metadata: eventMetadata,
  recorded_at: z.string().meta({ format: 'date-time' }),
});
export type RecordedEventMessage = z.output<typeof recordedEvent>;
