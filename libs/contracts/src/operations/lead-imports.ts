import { z } from 'zod';
import { maxReportedErrors } from '../campaign-terms.ts';
import { beginLeadImport, importLeadRows, importTarget } from '../internal/lead-imports.ts';
import { defineOperation } from '../operation.ts';

const importReport = z.object({
  created: z.int(),
  skipped: z.int(),
  failed: z.int(),
  errors: z
    .array(
      z.object({
        row: z.int().meta({ description: 'As a spreadsheet shows it: the header is row 1.' }),
        field: z.string(),
        message: z.string(),
      }),
    )
    .max(maxReportedErrors),
});

export const importLeads = defineOperation({
  service: 'assistants',
  tag: 'Leads',
  errorShape: 'message',
  name: 'import-leads',
  kind: 'command',
  method: 'POST',
  path: '/api/user/leads/import',
  summary: 'Import leads from a CSV file',
  description: [
    'UTF-8, separated by commas, semicolons or tabs, with a header row: `phone_number` and the names of variables. Empty cells and columns without a name are left out, empty rows passed over.',
    'Numbers that the campaign has already, or that stand in the file before, are `skipped`; rows that cannot be leads are `failed` and reported, the first 1,000 with their reasons.',
    'The same file sent again with the same `Idempotency-Key` adds nothing and is answered the same; after an answer that never came it goes on where it was.',
  ].join('\n\n'),
  notFoundMessage: 'Campaign not found',
  query: importTarget,
  csv: {
    maxBytes: 10 * 1024 * 1024,
    column: 'phone_number',
    example: 'phone_number,first_name\n+442079460108,Edsger\n+442079460109,Barbara\n',
    begin: beginLeadImport,
    rows: importLeadRows,
  },
  example: { campaign_id: 1 },
  success: { status: 200, schema: z.object({ message: z.string(), data: importReport }) },
});
