import type { LeadEvent } from '@parley/contracts';
import {
  type AppendResult,
  type ClaimTaken,
  Contended,
  type EventMetadata,
  type EventStore,
  type IdAllocator,
  LostRaces,
  type SqlExecutor,
} from '@parley/event-store';
import { v5 as uuidv5 } from 'uuid';
import { leadCategory, leadStream } from '../lead/lead.ts';
import { claimsOn, type Holders, withOwner } from '../lead/number-claim.ts';
import { lineOf } from '../lead/phone-number.ts';
import { findNumbersInCampaign } from '../views/leads/numbers-in-campaign.ts';
import type { LeadRow } from './read-row.ts';

/** What adding leads needs to write and to look up. */
export interface LeadAdding {
  readonly store: EventStore;
  readonly sql: SqlExecutor;
  readonly ids: IdAllocator;
}

/** Rows of a file, and the import and campaign that they belong to. */
export interface RowsOfImport {
  readonly importId: string;
  readonly campaignId: number;
  readonly accountId: number;
  readonly metadata: EventMetadata;
  readonly now: Date;
  readonly rows: readonly LeadRow[];
}

interface PendingRow extends LeadRow {
  readonly id: number;
  readonly holders?: Holders;
}

/**
 * Adds a lead for each row whose number the campaign does not have, and counts the others as skipped. Each row is a
 * command of its own, with an id derived from the import: when a chunk that broke off is repeated, its rows count as
 * created, and no row adds a lead twice. All appends of a chunk are under way together.
 */
export async function addLeads(
  adding: LeadAdding,
  rows: RowsOfImport,
  races = new LostRaces(),
): Promise<{ readonly created: number; readonly skipped: number }> {
  const fresh = withoutRepeats(rows.rows);
  const counts = { created: 0, skipped: rows.rows.length - fresh.length };
  let pending: PendingRow[] = [];
  for (const row of await settleKnown(adding, rows, fresh, counts))
    pending.push({ ...row, id: await adding.ids.next() });
  while (pending.length > 0) {
    const results = await Promise.all(pending.map((row) => append(adding.store, rows, row)));
    const taken = new Map<PendingRow, ClaimTaken>();
    for (const [index, result] of results.entries()) {
      const row = pending[index];
      if (!row) continue;
      if (result.kind === 'claim-taken') taken.set(row, result);
      else if (result.kind === 'appended' || result.kind === 'repeated') counts.created += 1;
      else throw new Error(`The append of row ${row.row} was refused: ${result.kind}.`);
    }
    // Either another lead has just got the number, or none has it any more and the claim is taken over.
    const left = new Set(await settleKnown(adding, rows, [...taken.keys()], counts));
    pending = [...taken].flatMap(([row, claim]) =>
      left.has(row)
        ? [{ ...row, holders: { owners: withOwner(row.holders, claim), isInCampaign: false } }]
        : [],
    );
    if (pending.length > 0 && !(await races.mayRetry()))
      throw new Contended(`Numbers of import ${rows.importId} keep changing hands.`);
  }
  return counts;
}

/** The first row of each line; the others are repeats. */
function withoutRepeats(rows: readonly LeadRow[]): LeadRow[] {
  const first = new Map<string, LeadRow>();
  for (const row of rows) if (!first.has(lineOf(row.phoneNumber))) first.set(lineOf(row.phoneNumber), row);
  return [...first.values()];
}

/** Counts the rows whose number is in the campaign, and returns the others. */
async function settleKnown<R extends LeadRow>(
  { sql }: LeadAdding,
  { importId, campaignId }: RowsOfImport,
  rows: readonly R[],
  counts: { created: number; skipped: number },
): Promise<R[]> {
  if (rows.length === 0) return [];
  const known = await findNumbersInCampaign(
    sql,
    campaignId,
    rows.map(({ phoneNumber }) => phoneNumber),
  );
  return rows.filter(({ row, phoneNumber }) => {
    const lead = known.get(lineOf(phoneNumber));
    if (!lead) return true;
    if (lead.importId === importId && lead.row === row) counts.created += 1;
    else counts.skipped += 1;
    return false;
  });
}

function append(
  store: EventStore,
  { importId, campaignId, accountId, metadata, now }: RowsOfImport,
  { id, row, phoneNumber, variables, holders }: PendingRow,
): Promise<AppendResult> {
  const created: LeadEvent = {
    type: 'LeadCreated',
    data: {
      id,
      campaign_id: campaignId,
      phone_number: phoneNumber,
      variables,
      secondary_contacts: [],
      imported: { import_id: importId, row },
      at: now.toISOString(),
    },
  };
  const streamId = leadStream(id);
  return store.append({
    streamId,
    category: leadCategory,
    accountId,
    events: [created],
    expectedVersion: 0,
    metadata,
    command: { commandId: uuidv5(`row ${row}`, importId), fingerprint: '', reply: `{"lead_id":${id}}` },
    claims: claimsOn({ campaignId, phoneNumber }, streamId, holders),
  });
}
