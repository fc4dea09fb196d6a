import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

const leadImport = { service: 'assistants', category: 'lead-import', version: 1 } as const;

const counts = { created: z.int(), skipped: z.int(), failed: z.int() };

export const LeadImportStarted = defineEvent({
  ...leadImport,
  type: 'LeadImportStarted',
  summary: 'A file of leads began to be read into a campaign.',
  data: z.object({
    import_id: z.string(),
    campaign_id: z.int(),
    columns: z
      .array(z.string().nullable())
      .describe("The file's header row; null for a column without a name, which is ignored."),
  }),
});

export const LeadRowsImported = defineEvent({
  ...leadImport,
  type: 'LeadRowsImported',
  summary: 'Some rows of the file were read; the numbers of rows are those that a spreadsheet shows.',
  personal: { mentions: ['errors'] },
  data: z.object({
    chunk: z.int().describe('From 0.'),
    last_row: z.int(),
    ...counts,
    errors: z.array(z.object({ row: z.int(), field: z.string(), message: z.string() })),
  }),
});

export const LeadImportFinished = defineEvent({
  ...leadImport,
  type: 'LeadImportFinished',
  summary: 'The whole file was read.',
  data: z.object(counts),
});

export type LeadImportEvent = EventOf<
  typeof LeadImportStarted | typeof LeadRowsImported | typeof LeadImportFinished
>;
