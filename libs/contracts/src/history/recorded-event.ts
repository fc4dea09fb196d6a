import { z } from 'zod';

export const json = z.record(z.string(), z.json());

const eventActor = z
  .object({
    kind: z.string().describe('Who acted: `api_key`, `operator`, `automation`, `provider` or `system`.'),
    id: z.string().describe('Which one, such as the id of the API key.'),
  })
  .meta({ id: 'EventActor' });

const eventMetadata = z
  .object({
    correlation_id: z.string().describe('The `X-Request-Id` of what it was a part of.'),
    causation_id: z.string().describe('The request or the event that led to it.'),
    command_id: z
      .string()
      .nullable()
      .describe('The command that it was recorded for, which is effective once; null where there was none.'),
    actor: eventActor,
    traceparent: z.string().optional().describe('As W3C Trace Context has it.'),
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
  position: z.int().describe('Of the service’s log, counted from 1 without gaps.'),
  stream_id: z.string().describe('What it happened to, such as `folder-12`.'),
  stream_version: z.int().describe('Which event of that one it is, counted from 1 without gaps.'),
  category: z.string().describe('What kind of thing that is.'),
  account_id: z.int().nullable().describe('Whose it is; null where it is no account’s.'),
  type: z.string().describe('What happened.'),
  schema_version: z.int().describe('Of `data`.'),
  event_id: z.string().describe('The same wherever and however often it is told.'),
  data: json.describe('What there is to know of it, by the type.'),
  sealed: z
    .literal(true)
    .optional()
    .describe(
      'Only on the bus: what belongs to people is not in `data`; `read-events` of the service has it (ADR 18).',
    ),
  metadata: eventMetadata,
  recorded_at: z.string().meta({ format: 'date-time' }).describe('By the platform’s clock.'),
});
export type RecordedEventMessage = z.output<typeof recordedEvent>;
