import { z } from 'zod';
import { csvBeginning, csvBegun, csvRows } from '../input/csv-upload.ts';
import { pathId } from '../input/text.ts';
import { defineInternal } from './internal-message.ts';

/** The campaign of an import, as it stands in the query string. */
export const importTarget = z.object({
  campaign_id: pathId().describe('The campaign that reaches out to the leads.'),
});

export const beginLeadImport = defineInternal({
  name: 'begin-lead-import',
  kind: 'command',
  service: 'assistants',
  input: importTarget.extend(csvBeginning.shape),
  output: csvBegun,
});

export const importLeadRows = defineInternal({
  name: 'import-lead-rows',
  kind: 'command',
  service: 'assistants',
  input: csvRows,
  output: z.object({ created: z.int(), skipped: z.int(), failed: z.int() }),
});
