import { type CsvRow, type LeadImportEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { columnsOf } from './columns.ts';
import { type LeadImport, type RowError, reportable } from './lead-import.ts';
import { isLeadRow, type LeadRow, readRow } from './read-row.ts';

type Outcome<Reply> = Decision<LeadImportEvent, Reply> | Rejection;

interface Counts {
  readonly created: number;
  readonly skipped: number;
  readonly failed: number;
}

/** Only the counts of something that has more fields. */
const countsOf = ({ created, skipped, failed }: Counts): Counts => ({ created, skipped, failed });

/** What an import begins with. */
export interface BeginImport {
  readonly importId: string;
  readonly campaignId: number;
  /** Whether the campaign exists and is the account's. */
  readonly isOwnCampaign: boolean;
  /** The file's first row. */
  readonly header: readonly string[];
}

/**
 * Begins an import, unless it began before: then it goes on, and the caller learns from its state how far it is. A
 * rejection when the campaign is not the account's, or the header row cannot be used.
 */
export function beginImport(
  state: LeadImport,
  { importId, campaignId, isOwnCampaign, header }: BeginImport,
): Outcome<object> {
  if (state) return { events: [], reply: {} };
  if (!isOwnCampaign) return reject('not_found');
  const columns = columnsOf(header);
  if ('code' in columns) return columns;
  const data = { import_id: importId, campaign_id: campaignId, columns: [...columns] };
  return { events: [{ type: 'LeadImportStarted', data }], reply: {} };
}

/**
 * Adds leads to the import's campaign, each at most once however often it is called; returns how many were added and
 * skipped, undefined where the campaign was deleted meanwhile.
 */
export type AddLeads = (
  state: NonNullable<LeadImport>,
  leads: readonly LeadRow[],
) => Promise<Omit<Counts, 'failed'> | undefined>;

/**
 * Adds the rows of a chunk. Chunks come in order: one that was imported before changes nothing, one that is not the
 * next is rejected. A repeated command is answered by the store, by its command id.
 */
export async function importRows(
  state: LeadImport,
  { chunk, rows }: { readonly chunk: number; readonly rows: readonly CsvRow[] },
  addLeads: AddLeads,
): Promise<Outcome<Counts>> {
  if (!state) return reject('not_found');
  if (chunk < state.chunks) return { events: [], reply: countsOf(state) };
  if (chunk > state.chunks || state.isFinished) return reject('invalid');
  const read = rows.map((row) => readRow(state.columns, row)).filter((each) => each !== undefined);
  const added = await addLeads(state, read.filter(isLeadRow));
  const failures = read.flatMap((each) => {
    if (!isLeadRow(each)) return [each];
    return added ? [] : [{ row: each.row, ...campaignDeleted }];
  });
  const counts = { ...(added ?? { created: 0, skipped: 0 }), failed: failures.length };
  const imported: LeadImportEvent = {
    type: 'LeadRowsImported',
    data: {
      chunk,
      last_row: rows.at(-1)?.row ?? state.lastRow,
      ...counts,
      errors: reportable(state.errors, failures),
    },
  };
  return { events: [imported], reply: counts };
}

const campaignDeleted = { field: 'campaign_id', message: 'The campaign was deleted meanwhile.' };

/** The answer of a whole import: its counts of rows, and its first errors. */
export interface ImportAnswer {
  readonly message: string;
  readonly data: Counts & { readonly errors: readonly RowError[] };
}

/** Ends an import after its last chunk; its answer is that of the whole import. */
export function finishImport(state: LeadImport): Outcome<ImportAnswer> {
  if (!state) return reject('not_found');
  const counts = countsOf(state);
  return {
    events: state.isFinished ? [] : [{ type: 'LeadImportFinished', data: counts }],
    reply: { message: 'Leads imported successfully', data: { ...counts, errors: state.errors } },
  };
}
