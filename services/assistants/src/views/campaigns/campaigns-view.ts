import type { SqlExecutor } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { type CampaignStanding, itemWith } from '../../campaign/item.ts';
import { failuresByCampaign, failuresInARow } from '../../outreach/pacing/failed-calls.ts';
import type { RecordedOutreachEvent } from '../../outreach/pacing/held-up.ts';
import { deletedCampaigns, noteChanges } from './campaign-changes.ts';
import { noteHoldUps } from './hold-ups.ts';

/** SQL expression for how many calls in a row did not go well, in the one way or the other. */
export const failingInARow = 'greatest(failed_in_a_row, unreported_in_a_row)';

/** SQL condition of a campaign whose calls fail, and that waits for it longer than for what a lead was given back for. */
const isFailing = `${failingInARow} >= ${failuresInARow}
  and (held_up_json = 'null' or failing_until > held_up_json::jsonb ->> 'until')`;

const failingJson = `'{"reason":"' || case when failed_in_a_row >= ${failuresInARow}
    then 'At least the last ${failuresInARow} calls have failed.'
    else 'No agent has told of at least the last ${failuresInARow} calls that were answered.' end
  || '","until":"' || failing_until || '"}'`;

/**
 * SQL expression for what holds a campaign up, as JSON: why a lead was given back, or that its calls fail; `null` while
 * nothing does.
 */
export const heldUpJson = `case when ${isFailing} then ${failingJson} else held_up_json end`;

/**
 * One row per campaign with its rendered item. JSON in it is stored as `jsonb`, so that a rebuild gives the same text.
 */
export const campaignsView = defineProjection<RecordedOutreachEvent>({
  name: 'campaigns',
  version: 6,
  handles: [
    'CampaignCreated',
    'CampaignRenamed',
    'CampaignSettingsChanged',
    'CampaignStarted',
    'CampaignStopped',
    'CampaignDeleted',
    'LeadCreated',
    'LeadDeleted',
    'LeadAttemptWithdrawn',
    'LeadAttemptStarted',
    'LeadAttemptEnded',
  ],
  tables: (schema) => `
    create table ${schema}.items (
      id int8 primary key,
      account_id int8 not null,
      created_position int8 not null,
      name_json text not null,
      channel text not null,
      status text not null default 'stopped',
      assistant_id int8,
      sender_id int8,
      template_id int8,
      body_json text not null,
      variable_mapping jsonb not null,
      timezone_json text not null,
      windows jsonb not null,
      retries jsonb not null,
      held_up_json text not null default 'null',
      withdrawn_in_a_row int4 not null default 0,
      failed_in_a_row int4 not null default 0,
      unreported_in_a_row int4 not null default 0,
      failing_until text not null default '',
      leads_count int4 not null default 0,
      created_at text not null,
      updated_at text not null,
      rendered text not null generated always as (${itemWith(heldUpJson)}) stored
    ) with (fillfactor = 70);
    create index items_newest_first on ${schema}.items (account_id, created_position desc);
  `,
  project(events, db) {
    insertCreated(
      db,
      events.flatMap((event) => (event.type === 'CampaignCreated' ? [event] : [])),
    );
    noteChanges(db, events);
    addToCounts(db, events);
    noteHoldUps(db, events);
    noteFailures(db, events);
    deleteDeleted(db, events);
  },
});

export const campaignsTable = `${liveSchema(campaignsView)}.items`;

/**
 * SQL condition on a row `i`: a withdrawn attempt, or that its calls fail, holds the campaign up. Not once it was
 * stopped, though an attempt that had begun may be withdrawn later, nor once the moment has passed at which it looks
 * again.
 */
export const isHeldUp = `(i.status = 'running' and ((${heldUpJson})::jsonb ->> 'until')::timestamptz > es.now())`;

/** How a campaign stands; one that does not exist stands like one without leads. */
export async function standingOf(sql: SqlExecutor, campaignId: number): Promise<CampaignStanding> {
  const { rows } = await sql.query<{ leads_count: number; held_up: CampaignStanding['heldUp'] }>({
    name: 'standing-of-campaign',
    text: `select leads_count, case when ${isHeldUp} then (${heldUpJson})::json end as held_up
           from ${campaignsTable} i where id = $1`,
    values: [campaignId],
  });
  return { leadsCount: rows[0]?.leads_count ?? 0, heldUp: rows[0]?.held_up ?? null };
}

function insertCreated(
  db: ProjectionDb,
  created: readonly (RecordedOutreachEvent & { type: 'CampaignCreated' })[],
): void {
  if (created.length === 0) return;
  const column = <T>(of: (event: (typeof created)[number]) => T): T[] => created.map(of);
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items (
             id, account_id, created_position, name_json, channel, assistant_id, sender_id, template_id,
             body_json, variable_mapping, timezone_json, windows, retries, created_at, updated_at
           )
           select *, created_at from unnest(
             $1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::int8[], $7::int8[], $8::int8[],
             $9::text[], $10::jsonb[], $11::text[], $12::jsonb[], $13::jsonb[], $14::text[]
           ) c (
             id, account_id, created_position, name_json, channel, assistant_id, sender_id, template_id,
             body_json, variable_mapping, timezone_json, windows, retries, created_at
           )`,
    values: [
      column(({ data }) => data.id),
      column(({ accountId }) => accountId),
      column(({ position }) => position),
      column(({ data }) => JSON.stringify(data.name)),
      column(({ data }) => data.channel),
      column(({ data }) => data.assistant_id),
      column(({ data }) => data.sender_id),
      column(({ data }) => data.template_id),
      column(({ data }) => JSON.stringify(data.body)),
      column(({ data }) => JSON.stringify(data.variable_mapping)),
      column(({ data }) => JSON.stringify(data.timezone)),
      column(({ data }) => JSON.stringify(data.windows)),
      column(({ data }) => JSON.stringify(data.retries)),
      column(({ data }) => data.created_at),
    ],
  });
}

function deleteDeleted(db: ProjectionDb, events: readonly RecordedOutreachEvent[]): void {
  const deleted = deletedCampaigns(events);
  if (deleted.length === 0) return;
  db.query({
    name: 'delete',
    text: `delete from ${db.schema}.items where id = any($1::int8[])`,
    values: [deleted],
  });
}

/** SQL expression for how many calls in a row are counted after a batch `f`. */
const counted = (kind: 'failed' | 'unreported'): string =>
  `f.${kind} + case when f.${kind}_anew then 0 else i.${kind}_in_a_row end`;

/** Notes how many calls of a campaign did not go well since one that did, or since its start. */
function noteFailures(db: ProjectionDb, events: readonly RecordedOutreachEvent[]): void {
  const noted = [...failuresByCampaign(events)];
  if (noted.length === 0) return;
  db.query({
    name: 'note-failures',
    text: `update ${db.schema}.items i set
             failed_in_a_row = ${counted('failed')},
             unreported_in_a_row = ${counted('unreported')},
             failing_until = case when ${counted('failed')} + ${counted('unreported')} = 0 then '' else f.until end
           from unnest($1::int8[], $2::int4[], $3::bool[], $4::int4[], $5::bool[], $6::text[])
             f (id, failed, failed_anew, unreported, unreported_anew, until)
           where i.id = f.id and i.channel = 'call'
             and greatest(f.failed, f.unreported, i.failed_in_a_row, i.unreported_in_a_row) > 0`,
    values: [
      noted.map(([id]) => id),
      noted.map(([, { failed }]) => failed.inARow),
      noted.map(([, { failed }]) => failed.isAnew),
      noted.map(([, { unreported }]) => unreported.inARow),
      noted.map(([, { unreported }]) => unreported.isAnew),
      noted.map(([, { until }]) => until),
    ],
  });
}

function addToCounts(db: ProjectionDb, events: readonly RecordedOutreachEvent[]): void {
  const added = new Map<number, number>();
  for (const event of events) {
    if (event.type !== 'LeadCreated' && event.type !== 'LeadDeleted') continue;
    const { campaign_id: id } = event.data;
    added.set(id, (added.get(id) ?? 0) + (event.type === 'LeadCreated' ? 1 : -1));
  }
  if (added.size === 0) return;
  db.query({
    name: 'count-leads',
    text: `update ${db.schema}.items i set leads_count = i.leads_count + c.added
           from unnest($1::int8[], $2::int4[]) c (id, added) where i.id = c.id`,
    values: [[...added.keys()], [...added.values()]],
  });
}
