import type { KnowledgebaseEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, type ProjectionDb } from '@parley/processing';
import {
  type Knowledgebase,
  knowledgebase,
  knowledgebaseCategory,
  toItem,
} from '../knowledgebase/knowledgebase.ts';

type Recorded = RecordedEvent & KnowledgebaseEvent;

/** What a batch comes to for one knowledgebase; the keys are columns. */
interface Change {
  readonly id: number;
  readonly account_id: number | null;
  readonly position: number;
  readonly version: number;
  readonly is_created: boolean;
  readonly is_deleted: boolean;
  /** The item's fields that are set. */
  readonly fields: object;
}

const order = Object.keys(toItem({ id: 0, name: '', description: '', updated_at: '' }));
const bodyColumn = `'{' || ${order
  .map((field) => `'"${field}":' || coalesce((item -> '${field}')::text, 'null')`)
  .join(` || ',' || `)} || '}'`;

/** One row per knowledgebase, its rendered item kept with it. */
export const knowledgebasesView = defineProjection({
  name: 'knowledgebases',
  version: 1,
  handles: [
    'KnowledgebaseCreated',
    'KnowledgebaseRenamed',
    'KnowledgebaseDescribed',
    'KnowledgebaseDeleted',
  ] satisfies KnowledgebaseEvent['type'][],
  tables: (schema) => `
    create table ${schema}.items (
      id int8 primary key,
      account_id int8 not null,
      created_position int8 not null,
      version int4 not null,
      item jsonb not null,
      body text not null generated always as (${bodyColumn}) stored
    );
    create index items_newest_first on ${schema}.items (account_id, created_position desc);
  `,
  project(events, db) {
    const changes = netChanges(events.filter(isKnowledgebaseEvent));
    write(
      db,
      changes.filter(({ is_deleted }) => !is_deleted),
    );
    remove(
      db,
      changes.filter(({ is_created, is_deleted }) => is_deleted && !is_created),
    );
  },
});

const isKnowledgebaseEvent = (event: RecordedEvent): event is Recorded =>
  event.category === knowledgebaseCategory;

function netChanges(events: readonly Recorded[]): Change[] {
  const byStream = new Map<string, Change>();
  for (const event of events) {
    const { accountId, position, streamId, streamVersion: version } = event;
    const earlier = byStream.get(streamId);
    byStream.set(streamId, {
      id: Number(streamId.slice(streamId.lastIndexOf('-') + 1)),
      account_id: accountId,
      position: earlier?.position ?? position,
      version,
      is_created: earlier?.is_created === true || event.type === 'KnowledgebaseCreated',
      is_deleted: event.type === 'KnowledgebaseDeleted',
      fields: { ...earlier?.fields, ...fieldsOf(event) },
    });
  }
  return [...byStream.values()];
}

function fieldsOf(event: KnowledgebaseEvent): object {
  if (event.type !== 'KnowledgebaseCreated') return event.data;
  const created: Knowledgebase = knowledgebase.evolve(null, event);
  return created ? toItem(created) : {};
}

function write(db: ProjectionDb, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const rows = `jsonb_to_recordset($1::jsonb) c
    (id int8, account_id int8, position int8, version int4, is_created bool, fields jsonb)`;
  const values = [JSON.stringify(changes)];
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items (id, account_id, created_position, version, item)
           select id, account_id, position, version, fields from ${rows} where is_created`,
    values,
  });
  db.query({
    name: 'update',
    text: `update ${db.schema}.items i set version = c.version, item = i.item || c.fields
           from ${rows} where i.id = c.id and not c.is_created`,
    values,
  });
}

function remove(db: ProjectionDb, deleted: readonly Change[]): void {
  if (deleted.length === 0) return;
  db.query({
    name: 'delete',
    text: `delete from ${db.schema}.items where id = any($1::int8[])`,
    values: [deleted.map(({ id }) => id)],
  });
}
