import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { itemAfter, itemBefore, timestamp } from '../../lead/item.ts';
import { orderedJson } from '../ordered-json.ts';
import {
  deleteCampaigns,
  insertCampaigns,
  noteQueued,
  noteWithdrawals,
  type Recorded,
  renameCampaigns,
} from './lead-campaigns.ts';
import { createdContacts, type LeadChange, leadChanges, type RecordedLeadEvent } from './lead-changes.ts';

/**
 * One row per lead with its rendered item, and what its campaign needs to choose whom to reach out to next. The name of
 * the campaign comes between the two parts of an item, so that renaming one does not write all its leads. `campaigns`
 * holds these names, when each campaign last queued a lead, and its latest withdrawal: when, until when (null once another
 * attempt has started, or one is over), and how many in a row. What customers sent is stored as `json`, which is shown as
 * it was written; `jsonb` would add a blank after each comma. Indexes include what lists are filtered by, so that counting
 * an account's leads does not read their rows.
 */
export const leadsView = defineProjection<Recorded>({
  name: 'leads',
  version: 7,
  handles: [
    'CampaignCreated',
    'CampaignRenamed',
    'CampaignDeleted',
    'LeadCreated',
    'LeadPhoneNumberChanged',
    'LeadVariablesReplaced',
    'LeadDeleted',
    'LeadQueued',
    'LeadAttemptWithdrawn',
    'LeadAttemptStarted',
    'LeadAttemptEnded',
    'LeadRetryDropped',
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
    deleteCampaigns(db, events);
  },
});

export const leadsTable = `${liveSchema(leadsView)}.items`;
export const leadCampaignsTable = `${liveSchema(leadsView)}.campaigns`;

const isOfLead = (event: Recorded): event is RecordedLeadEvent => event.category === 'lead';

/** But for those that are recorded after their campaign was deleted, having been decided on before. */
function insertCreated(db: ProjectionDb, changes: readonly LeadChange[]): void {
  if (changes.length === 0) return;
  const column = <T>(of: (change: LeadChange) => T): T[] => changes.map(of);
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items (
             id, account_id, campaign_id, created_position, phone_number, variables, secondary_contacts, status,
             created_at, updated_at, import_id, import_row, waits_from, is_in_flight
           )
           select c.* from unnest(
             $1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::json[], $7::json[], $8::text[],
             $9::text[], $10::text[], $11::uuid[], $12::int4[], $13::timestamptz[], $14::bool[]
           ) c (
             id, account_id, campaign_id, created_position, phone_number, variables, secondary_contacts, status,
             created_at, updated_at, import_id, import_row, waits_from, is_in_flight
           ) where exists (select from ${db.schema}.campaigns owning where owning.id = c.campaign_id)`,
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
