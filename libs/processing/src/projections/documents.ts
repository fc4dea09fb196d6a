import type { RecordedEvent } from '@parley/event-store';
import type { ProjectionDb } from './projection.ts';

/** What an event does to the one document it is about. */
export interface DocumentEffect {
  readonly id: number;
  /** The document begins, or is gone. */
  readonly kind: 'created' | 'changed' | 'deleted';
  /** The fields that are set. */
  readonly fields: object;
}

/** What a batch comes to for one document; the keys are columns. */
interface Change {
  readonly id: number;
  readonly account_id: number | null;
  readonly position: number;
  readonly version: number;
  readonly is_created: boolean;
  readonly is_deleted: boolean;
  readonly fields: object;
}

/** Columns of a table `items` of documents: one row each, what the API shows of it in `item`. */
export const documentColumns = `
  id int8 primary key,
  account_id int8 not null,
  created_position int8 not null,
  version int4 not null,
  item jsonb not null`;

/** Writes what the events come to into `items`, in three statements however many there are. */
export function writeDocuments<E extends RecordedEvent>(
  db: ProjectionDb,
  events: readonly E[],
  effectOf: (event: E) => DocumentEffect | null,
): void {
  const changes = netChanges(events, effectOf);
  const present = changes.filter(({ is_deleted }) => !is_deleted);
  const gone = changes.filter(({ is_created, is_deleted }) => is_deleted && !is_created);
  if (present.length > 0) {
    const rows = `jsonb_to_recordset($1::jsonb) c
      (id int8, account_id int8, position int8, version int4, is_created bool, fields jsonb)`;
    const values = [JSON.stringify(present)];
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
  if (gone.length > 0)
    db.query({
      name: 'delete',
      text: `delete from ${db.schema}.items where id = any($1::int8[])`,
      values: [gone.map(({ id }) => id)],
    });
}

function netChanges<E extends RecordedEvent>(
  events: readonly E[],
  effectOf: (event: E) => DocumentEffect | null,
): Change[] {
  const byId = new Map<number, Change>();
  for (const event of events) {
    const effect = effectOf(event);
    if (!effect) continue;
    const { id, kind, fields } = effect;
    const earlier = byId.get(id);
    byId.set(id, {
      id,
      account_id: event.accountId,
      position: earlier?.position ?? event.position,
      version: event.streamVersion,
      is_created: earlier?.is_created === true || kind === 'created',
      is_deleted: kind === 'deleted',
      fields: { ...earlier?.fields, ...fields },
    });
  }
  return [...byId.values()];
}
