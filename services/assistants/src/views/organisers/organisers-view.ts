import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type Projection, type ProjectionDb } from '@parley/processing';
import { itemColumn } from '../../organisers/item.ts';
import type { OrganiserEvent } from '../../organisers/organiser.ts';
import { folderKind, labelKind, type OrganiserKind } from '../../organisers/organiser-kind.ts';
import { type NetChange, netChanges, type RecordedOrganiserEvent } from './net-changes.ts';
import { type Membership, membershipEventTypes, netMemberships } from './net-memberships.ts';

/**
 * One row per folder (or label) with its rendered item, so that a list is a concatenation. `members` says which
 * assistants are in it, so that each change moves the count by what it really changes; a deleted one has no members.
 */
const organisersView = (
  kind: OrganiserKind,
  { name, version }: Pick<Projection, 'name' | 'version'>,
  handles: readonly OrganiserEvent['type'][],
): Projection =>
  defineProjection({
    name,
    version,
    handles: [...handles, ...membershipEventTypes[kind.noun]],
    tables: (schema) => `
      create table ${schema}.items (
        id int8 primary key,
        account_id int8 not null,
        created_position int8 not null,
        name_json text not null,
        color text,
        assistants_count int4 not null default 0,
        body text not null generated always as (${itemColumn(kind)}) stored
      );
      create index items_newest_first on ${schema}.items (account_id, created_position desc);
      create table ${schema}.members (
        assistant_id int8 not null,
        organiser_id int8 not null,
        primary key (assistant_id, organiser_id)
      );
      create index members_by_organiser on ${schema}.members (organiser_id);
    `,
    project(events, db) {
      const changes = netChanges(events.filter(isOrganiserEvent));
      insertCreated(
        db,
        changes.filter(({ createdAt, isDeleted }) => createdAt && !isDeleted),
      );
      updateChanged(
        db,
        changes.filter(({ createdAt, isDeleted }) => !createdAt && !isDeleted),
      );
      deleteDeleted(
        db,
        changes.filter(({ createdAt, isDeleted }) => !createdAt && isDeleted),
      );
      moveMembers(db, netMemberships(events, kind));
    },
  });

export const foldersView = organisersView(folderKind, { name: 'folders', version: 2 }, [
  'FolderCreated',
  'FolderRenamed',
  'FolderRecolored',
  'FolderDeleted',
]);
export const labelsView = organisersView(labelKind, { name: 'labels', version: 3 }, [
  'LabelCreated',
  'LabelRenamed',
  'LabelRecolored',
  'LabelDeleted',
]);

export const itemsTable = (view: Projection): string => `${liveSchema(view)}.items`;

const isOrganiserEvent = (event: RecordedEvent): event is RecordedOrganiserEvent =>
  event.category === folderKind.noun || event.category === labelKind.noun;

function insertCreated(db: ProjectionDb, created: readonly NetChange[]): void {
  if (created.length === 0) return;
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items (id, account_id, created_position, name_json, color)
           select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[])`,
    values: [
      created.map(({ id }) => id),
      created.map(({ createdAt }) => createdAt?.accountId),
      created.map(({ createdAt }) => createdAt?.position),
      created.map(nameJson),
      created.map(({ color }) => color),
    ],
  });
}

function updateChanged(db: ProjectionDb, changed: readonly NetChange[]): void {
  if (changed.length === 0) return;
  db.query({
    name: 'update',
    text: `update ${db.schema}.items i set name_json = coalesce(c.name_json, i.name_json),
             color = case when c.is_recolored then c.color else i.color end
           from unnest($1::int8[], $2::text[], $3::bool[], $4::text[]) c (id, name_json, is_recolored, color)
           where i.id = c.id`,
    values: [
      changed.map(({ id }) => id),
      changed.map(nameJson),
      changed.map(({ color }) => color !== undefined),
      changed.map(({ color }) => color),
    ],
  });
}

function deleteDeleted(db: ProjectionDb, deleted: readonly NetChange[]): void {
  if (deleted.length === 0) return;
  db.query({
    name: 'delete',
    text: `with left_behind as (delete from ${db.schema}.members where organiser_id = any($1::int8[]))
           delete from ${db.schema}.items where id = any($1::int8[])`,
    values: [deleted.map(({ id }) => id)],
  });
}

/**
 * Moves assistants and counts. Runs after the organisers themselves are written: only those that exist have members.
 */
function moveMembers(db: ProjectionDb, memberships: readonly Membership[]): void {
  if (memberships.length === 0) return;
  const wanted = memberships.flatMap(({ assistantId, organiserIds }) =>
    organiserIds.map((organiserId) => ({ assistantId, organiserId })),
  );
  db.query({
    name: 'move-members',
    text: `with wanted as (
             select w.assistant_id, w.organiser_id from unnest($2::int8[], $3::int8[]) w (assistant_id, organiser_id)
             join ${db.schema}.items i on i.id = w.organiser_id
           ),
           removed as (
             delete from ${db.schema}.members m where m.assistant_id = any($1::int8[])
               and (m.assistant_id, m.organiser_id) not in (select assistant_id, organiser_id from wanted)
             returning m.organiser_id
           ),
           added as (
             insert into ${db.schema}.members (assistant_id, organiser_id) select assistant_id, organiser_id from wanted
             on conflict do nothing returning organiser_id
           )
           update ${db.schema}.items i set assistants_count = i.assistants_count + moved.delta
           from (
             select organiser_id, sum(delta) as delta from (
               select organiser_id, 1 as delta from added union all select organiser_id, -1 from removed
             ) each group by organiser_id
           ) moved
           where i.id = moved.organiser_id and moved.delta <> 0`,
    values: [
      memberships.map(({ assistantId }) => assistantId),
      wanted.map(({ assistantId }) => assistantId),
      wanted.map(({ organiserId }) => organiserId),
    ],
  });
}

const nameJson = ({ name }: NetChange): string | null => (name === undefined ? null : JSON.stringify(name));
