import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type Projection, type ProjectionDb } from '@parley/processing';
import { itemColumn } from '../organisers/item.ts';
import type { OrganiserEvent } from '../organisers/organiser.ts';
import { folderKind, labelKind } from '../organisers/organiser-kind.ts';
import { type NetChange, netChanges, type RecordedOrganiserEvent } from './net-changes.ts';

/** One row per folder (or label), its rendered item kept with it: a list is a concatenation. */
const organisersView = (name: string, handles: readonly OrganiserEvent['type'][]): Projection =>
  defineProjection({
    name,
    version: 1,
    handles,
    tables: (schema) => `
      create table ${schema}.items (
        id int8 primary key,
        account_id int8 not null,
        created_position int8 not null,
        name_json text not null,
        color text,
        assistants_count int4 not null default 0,
        body text not null generated always as (${itemColumn}) stored
      );
      create index items_newest_first on ${schema}.items (account_id, created_position desc);
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
    },
  });

export const foldersView = organisersView('folders', [
  'FolderCreated',
  'FolderRenamed',
  'FolderRecolored',
  'FolderDeleted',
]);
export const labelsView = organisersView('labels', [
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
    text: `delete from ${db.schema}.items where id = any($1::int8[])`,
    values: [deleted.map(({ id }) => id)],
  });
}

const nameJson = ({ name }: NetChange): string | null => (name === undefined ? null : JSON.stringify(name));
