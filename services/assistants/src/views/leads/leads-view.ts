import type { CampaignEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { itemAfter, itemBefore, timestamp } from '../../lead/item.ts';
import { orderedJson } from '../ordered-json.ts';
import { createdContacts, type LeadChange, leadChanges, type RecordedLeadEvent } from './lead-changes.ts';
import { withdrawalsByCampaign } from './lead-withdrawals.ts';

type Recorded = RecordedLeadEvent | (RecordedEvent & CampaignEvent);

/**
 * One row per lead with its rendered item but for the name of its campaign, which stands between the two parts, and what its campaign needs to choose whom to reach out to next. `campaigns`
 * holds the names that the items show, when each campaign last queued a lead, and its latest withdrawal: when, until
 * when (null once another attempt has started, or one is over), and how many in a row. What customers sent is stored as
 * `json`, which is shown as it was written; `jsonb` would add a blank after each comma. Indexes include what lists are
 * filtered by, so that counting an account's leads does not read their rows.
 */
export const leadsView = defineProjection<Recorded>({
  name: 'leads',
  version: 7,
  handles: [
    'CampaignCreated',
    'CampaignRenamed',
    'LeadCreated',
    'LeadPhoneNumberChanged',
    'LeadVariablesReplaced',
    'LeadDeleted',
    'LeadQueued',
    'LeadAttemptWithdrawn',
    'LeadAttemptStarted',
    'LeadAttemptEnded',
    'LeadAttemptCorrected',
    'LeadReopened',
  ],
  tables: (schema) => `
    create table ${schema}.campaigns (
      id int8 primary key,
      name_json text not null,
      last_queued_at timestamptz,
      last_withdrawn_at timestamptz,
      withdrawn_until timestamptz,
      withdrawn_in_a_row int4 not null default 0
    ) with (fillfactor = 50);
    create table ${schema}.items (
      id int8 primary key,
      account_id int8 not null,
      campaign_id int8 not null,
      created_position int8 not null,
      phone_number text collate "C" not null,
      variables json not null,
      secondary_contacts json not null,
      status text not null,
      created_at text not null,
      updated_at text not null,
      import_id uuid,
      import_row int4,
      waits_from timestamptz,
      is_in_flight boolean not null,
      rendered_before text not null generated always as (${itemBefore}) stored,
      rendered_after text not null generated always as (${itemAfter}) stored
    ) with (fillfactor = 80);
    create index items_newest_first on ${schema}.items (account_id, created_position desc)
      include (campaign_id, status);
    create index items_of_campaign on ${schema}.items (campaign_id, created_position desc)
      include (account_id, status);
    create index items_by_number on ${schema}.items (campaign_id, phone_number);
    create index items_waiting on ${schema}.items (campaign_id, waits_from, id) where waits_from is not null;
    create index items_in_flight on ${schema}.items (campaign_id) where is_in_flight;
  `,
  project(events, db) {
    insertCampaigns(db, events);
    renameCampaigns(db, events);
    const ofLeads = events.filter(isOfLead);
    const changes = leadChanges(ofLeads);
    insertCreated(
      db,
      changes.filter(({ created, isDeleted }) => created && !isDeleted),
    );
    updateChanged(
      db,
      changes.filter(({ created, isDeleted }) => !created && !isDeleted),
    );
    deleteDeleted(
      db,
      changes.filter(({ created, isDeleted }) => !created && isDeleted),
    );
    noteQueued(db, events);
    noteWithdrawals(db, ofLeads);
  },
});

export const leadsTable = `${liveSchema(leadsView)}.items`;
export const leadCampaignsTable = `${liveSchema(leadsView)}.campaigns`;

const isOfLead = (event: Recorded): event is RecordedLeadEvent => event.category === 'lead';

function insertCampaigns(db: ProjectionDb, events: readonly Recorded[]): void {
  const created = events.flatMap((event) => (event.type === 'CampaignCreated' ? [event.data] : []));
  if (created.length === 0) return;
  db.query({
    name: 'insert-campaigns',
    text: `insert into ${db.schema}.campaigns (id, name_json) select * from unnest($1::int8[], $2::text[])`,
    values: [created.map(({ id }) => id), created.map(({ name }) => JSON.stringify(name))],
  });
}

function renameCampaigns(db: ProjectionDb, events: readonly Recorded[]): void {
  const names = new Map<number, string>();
  for (const event of events)
    if (event.type === 'CampaignRenamed')
      names.set(Number(event.streamId.slice('campaign-'.length)), JSON.stringify(event.data.name));
  if (names.size === 0) return;
  db.query({
    name: 'rename-campaigns',
    text: `update ${db.schema}.campaigns c set name_json = n.name_json
           from unnest($1::int8[], $2::text[]) n (id, name_json) where c.id = n.id`,
    values: [[...names.keys()], [...names.values()]],
  });
}

function insertCreated(db: ProjectionDb, changes: readonly LeadChange[]): void {
  if (changes.length === 0) return;
  const column = <T>(of: (change: LeadChange) => T): T[] => changes.map(of);
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items (
             id, account_id, campaign_id, created_position, phone_number, variables, secondary_contacts, status,
             created_at, updated_at, import_id, import_row, waits_from, is_in_flight
           )
           select * from unnest(
             $1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::json[], $7::json[], $8::text[],
             $9::text[], $10::text[], $11::uuid[], $12::int4[], $13::timestamptz[], $14::bool[]
           ) c (
             id, account_id, campaign_id, created_position, phone_number, variables, secondary_contacts, status,
             created_at, updated_at, import_id, import_row, waits_from, is_in_flight
           )`,
    values: [
      column(({ id }) => id),
      column(({ created }) => created?.accountId),
      column(({ created }) => created?.data.campaign_id),
      column(({ created }) => created?.position),
      column(({ phoneNumber }) => phoneNumber),
      column(({ variables }) => orderedJson(variables)),
      column((change) => orderedJson(createdContacts(change))),
      column(({ status }) => status),
      column(({ created }) => timestamp(created?.data.at ?? '')),
      column(({ updatedAt }) => updatedAt),
      column(({ created }) => created?.data.imported?.import_id ?? null),
      column(({ created }) => created?.data.imported?.row ?? null),
      column(({ waitsFrom }) => waitsFrom ?? null),
      column(({ isInFlight }) => isInFlight ?? false),
    ],
  });
}

function updateChanged(db: ProjectionDb, changes: readonly LeadChange[]): void {
  if (changes.length === 0) return;
  const column = <T>(of: (change: LeadChange) => T): T[] => changes.map(of);
  db.query({
    name: 'update',
    text: `update ${db.schema}.items i set
             phone_number = coalesce(c.phone_number, i.phone_number),
             variables = coalesce(c.variables, i.variables),
             status = coalesce(c.status, i.status),
             updated_at = coalesce(c.updated_at, i.updated_at),
             is_in_flight = coalesce(c.is_in_flight, i.is_in_flight),
             waits_from = case when c.is_moved then c.waits_from else i.waits_from end,
             secondary_contacts = case when c.contacts = '{}' then i.secondary_contacts else array_to_json(array(
               select row_to_json(shown) from (
                 select e.id, coalesce(c.contacts -> e.id::text ->> 'status', e.status) as status, e.variables,
                   e.created_at, coalesce(c.contacts -> e.id::text ->> 'updated_at', e.updated_at) as updated_at,
                   e.phone_number
                 from rows from (
                   json_to_recordset(i.secondary_contacts) as (
                     id int8, phone_number text, variables json, status text, created_at text, updated_at text
                   )
                 ) with ordinality e (id, phone_number, variables, status, created_at, updated_at, place)
                 order by e.place
               ) shown
             )) end
           from unnest(
             $1::int8[], $2::text[], $3::json[], $4::text[], $5::text[], $6::bool[], $7::bool[], $8::timestamptz[],
             $9::jsonb[]
           ) c (id, phone_number, variables, status, updated_at, is_in_flight, is_moved, waits_from, contacts)
           where i.id = c.id`,
    values: [
      column(({ id }) => id),
      column(({ phoneNumber }) => phoneNumber ?? null),
      column(({ variables }) => (variables === undefined ? null : orderedJson(variables))),
      column(({ status }) => status ?? null),
      column(({ updatedAt }) => updatedAt ?? null),
      column(({ isInFlight }) => isInFlight ?? null),
      column(({ waitsFrom }) => waitsFrom !== undefined),
      column(({ waitsFrom }) => waitsFrom ?? null),
      column(({ contacts }) => JSON.stringify(contacts)),
    ],
  });
}

function deleteDeleted(db: ProjectionDb, changes: readonly LeadChange[]): void {
  if (changes.length === 0) return;
  db.query({
    name: 'delete',
    text: `delete from ${db.schema}.items where id = any($1::int8[])`,
    values: [changes.map(({ id }) => id)],
  });
}

function noteQueued(db: ProjectionDb, events: readonly Recorded[]): void {
  const newest = new Map<number, string>();
  for (const event of events)
    if (event.type === 'LeadQueued') newest.set(event.data.campaign_id, event.recordedAt);
  if (newest.size === 0) return;
  db.query({
    name: 'note-queued',
    text: `update ${db.schema}.campaigns c set last_queued_at = q.at
           from unnest($1::int8[], $2::timestamptz[]) q (id, at) where c.id = q.id`,
    values: [[...newest.keys()], [...newest.values()]],
  });
}

function noteWithdrawals(db: ProjectionDb, events: readonly RecordedLeadEvent[]): void {
  const noted = [...withdrawalsByCampaign(events)];
  if (noted.length === 0) return;
  db.query({
    name: 'note-withdrawals',
    text: `update ${db.schema}.campaigns c set
             last_withdrawn_at = coalesce(w.at, c.last_withdrawn_at),
             withdrawn_until = case when not w.is_over then coalesce(w.until, c.withdrawn_until) end,
             withdrawn_in_a_row = w.in_a_row + case when w.is_anew then 0 else c.withdrawn_in_a_row end
           from unnest($1::int8[], $2::timestamptz[], $3::timestamptz[], $4::int4[], $5::bool[], $6::bool[])
             w (id, at, until, in_a_row, is_anew, is_over)
           where c.id = w.id and (
             w.at is not null or c.withdrawn_in_a_row > 0 or (w.is_over and c.withdrawn_until is not null)
           )`,
    values: [
      noted.map(([id]) => id),
      noted.map(([, { at }]) => at),
      noted.map(([, { until }]) => until),
      noted.map(([, { inARow }]) => inARow),
      noted.map(([, { isAnew }]) => isAnew),
      noted.map(([, { isOver }]) => isOver),
    ],
  });
}
