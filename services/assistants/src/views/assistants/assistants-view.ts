import { type AssistantEvent, assistantResource } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { assistantCategory } from '../../assistant/assistant.ts';
import {
  type NetAssistantChange,
  netAssistantChanges,
  type RecordedAssistantEvent,
} from './net-assistant-changes.ts';

/** SQL expression for the rendered resource. When the resource changes, the view needs a new version. */
const bodyColumn = `'{' || ${Object.keys(assistantResource.shape)
  .map((field) => `'"${field}":' || coalesce((resource -> '${field}')::text, 'null')`)
  .join(` || ',' || `)} || '}'`;

/**
 * Deletions that take something from assistants. The id of their stream is also the name of a reference to what it
 * holds.
 */
export const deletions = ['FolderDeleted', 'LabelDeleted', 'KnowledgebaseDeleted'];

const assistantEventTypes: readonly AssistantEvent['type'][] = [
  'AssistantCreated',
  'AssistantRenamed',
  'AssistantSettingsChanged',
  'AssistantActivated',
  'AssistantDeactivated',
  'AssistantMovedToFolder',
  'AssistantLabelled',
  'AssistantKnowledgebaseChanged',
  'AssistantNumberChanged',
  'WebhookEnabled',
  'WebhookDisabled',
  'InboundWebhookEnabled',
  'InboundWebhookDisabled',
  'AssistantDeleted',
];

/**
 * One row per assistant that is not deleted, with its rendered resource, so that a list is a concatenation. A row of up
 * to 8 kB stays in its page uncompressed: reading a hundred of them reads a few pages. `refers_to` is what the
 * assistant points at by its own events; `resource` leaves out what was deleted of that, whichever of the two was
 * recorded first.
 */
export const assistantsView = defineProjection({
  name: 'assistants',
  version: 1,
  handles: [...assistantEventTypes, ...deletions],
  tables: (schema) => `
    create table ${schema}.assistants (
      id int8 primary key,
      account_id int8 not null,
      created_position int8 not null,
      version int4 not null,
      refers_to text[] not null,
      resource jsonb not null,
      body text not null generated always as (${bodyColumn}) stored
    ) with (toast_tuple_target = 8160);
    create unique index assistants_newest_first on ${schema}.assistants (account_id, created_position desc);
    create index assistants_refer_to on ${schema}.assistants using gin (refers_to) with (fastupdate = off);
    create table ${schema}.deleted_references (name text primary key);
    create table ${schema}.totals (account_id int8 primary key, total int8 not null);
  `,
  project(events, db) {
    const gone = events.filter(({ type }) => deletions.includes(type)).map(({ streamId }) => streamId);
    const changes = netAssistantChanges(events.filter(isAssistantEvent));
    const present = changes.filter(({ deleted }) => !deleted);
    rememberDeleted(db, gone);
    insertCreated(
      db,
      present.filter(({ created }) => created),
    );
    updateChanged(
      db,
      present.filter(({ created }) => !created),
    );
    deleteDeleted(
      db,
      changes.filter(({ created, deleted }) => deleted && !created),
    );
    countPerAccount(db, changes);
    takeOutDeleted(
      db,
      present.filter(({ added }) => added.length > 0).map(({ id }) => id),
      gone,
    );
  },
});

export const assistantsTable = `${liveSchema(assistantsView)}.assistants`;
export const assistantTotalsTable = `${liveSchema(assistantsView)}.totals`;
export const deletedReferencesTable = `${liveSchema(assistantsView)}.deleted_references`;

const isAssistantEvent = (event: RecordedEvent): event is RecordedAssistantEvent =>
  event.category === assistantCategory;

function rememberDeleted(db: ProjectionDb, names: readonly string[]): void {
  if (names.length === 0) return;
  db.query({
    name: 'remember-deleted',
    text: `insert into ${db.schema}.deleted_references (name) select unnest($1::text[])`,
    values: [names],
  });
}

const sorted = (names: string) => `array(select name from ${names} order by name collate "C")`;

function insertCreated(db: ProjectionDb, created: readonly NetAssistantChange[]): void {
  if (created.length === 0) return;
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.assistants (id, account_id, created_position, version, refers_to, resource)
           select c.id, (c.created ->> 'accountId')::int8, (c.created ->> 'position')::int8, c.version,
             ${sorted('unnest(c.added) name')}, c.fields
           from jsonb_to_recordset($1::jsonb) c (id int8, version int4, created jsonb, added text[], fields jsonb)`,
    values: [JSON.stringify(created)],
  });
}

function updateChanged(db: ProjectionDb, changed: readonly NetAssistantChange[]): void {
  if (changed.length === 0) return;
  db.query({
    name: 'update',
    text: `update ${db.schema}.assistants a set version = c.version, resource = a.resource || c.fields,
             refers_to = ${sorted(`(
               select kept.name from unnest(a.refers_to) kept (name) where split_part(kept.name, '-', 1) <> all(c.replaced)
               union all select unnest(c.added)
             ) reference (name)`)}
           from jsonb_to_recordset($1::jsonb) c (id int8, version int4, replaced text[], added text[], fields jsonb)
           where a.id = c.id`,
    values: [JSON.stringify(changed)],
  });
}

function deleteDeleted(db: ProjectionDb, deleted: readonly NetAssistantChange[]): void {
  if (deleted.length === 0) return;
  db.query({
    name: 'delete',
    text: `delete from ${db.schema}.assistants where id = any($1::int8[])`,
    values: [deleted.map(({ id }) => id)],
  });
}

/**
 * Counts assistants by account. An account has a row from its first assistant on, whatever it deletes, so that a
 * rebuild gives the same.
 */
function countPerAccount(db: ProjectionDb, changes: readonly NetAssistantChange[]): void {
  const counted = changes.filter(({ created, deleted }) => created || deleted);
  if (counted.length === 0) return;
  db.query({
    name: 'count',
    text: `insert into ${db.schema}.totals (account_id, total)
           select account_id, sum(delta) from unnest($1::int8[], $2::int4[]) c (account_id, delta) group by account_id
           on conflict (account_id) do update set total = totals.total + excluded.total`,
    values: [
      counted.map(({ created, deleted }) => (created ?? deleted)?.accountId),
      counted.map(({ created, deleted }) => (created ? 1 : 0) - (deleted ? 1 : 0)),
    ],
  });
}

function takeOutDeleted(db: ProjectionDb, touched: readonly number[], gone: readonly string[]): void {
  if (touched.length === 0 && gone.length === 0) return;
  const unlessDeleted = (field: string, kind: string) =>
    `case when '${kind}-' || (a.resource ->> '${field}') = any(d.names) then 'null' else a.resource -> '${field}' end`;
  db.query({
    name: 'take-out-deleted',
    text: `with d as (
             select a.id, array_agg(r.name) as names
             from ${db.schema}.assistants a cross join unnest(a.refers_to) r (name)
             join ${db.schema}.deleted_references deleted on deleted.name = r.name
             where a.id = any($1::int8[]) or a.refers_to && $2::text[]
             group by a.id
           )
           update ${db.schema}.assistants a set resource = a.resource || jsonb_build_object(
             'folder_id', ${unlessDeleted('folder_id', 'folder')},
             'knowledgebase_id', ${unlessDeleted('knowledgebase_id', 'knowledgebase')},
             'label_ids', (
               select coalesce(jsonb_agg(label order by place), '[]')
               from jsonb_array_elements(a.resource -> 'label_ids') with ordinality l (label, place)
               where 'label-' || label::text <> all(d.names)
             )
           )
           from d where a.id = d.id`,
    values: [touched, gone],
  });
}
