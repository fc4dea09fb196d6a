import type { ConnectionEvent } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { defineProjection, documentColumns, liveSchema, writeDocuments } from '@parley/processing';
import { keptConnection, showConnection } from '../connections/connection.ts';

/** One row per connection, without its secret. */
export const connectionsView = defineProjection<ConnectionEvent>({
  name: 'connections',
  version: 2,
  handles: ['ConnectionCreated', 'ConnectionRenamed', 'ConnectionSecretReplaced', 'ConnectionDeleted'],
  tables: (schema) => `
    create table ${schema}.items (${documentColumns});
    create index items_newest_first on ${schema}.items (account_id, created_position desc);
  `,
  project(events, db) {
    writeDocuments(db, events, (event) => ({
      id: Number(event.streamId.slice(event.streamId.lastIndexOf('-') + 1)),
      kind: kindOf(event),
      fields: fieldsOf(event),
    }));
  },
});

const kindOf = ({ type }: ConnectionEvent) =>
  type === 'ConnectionCreated' ? 'created' : type === 'ConnectionDeleted' ? 'deleted' : 'changed';

function fieldsOf(event: ConnectionEvent): object {
  switch (event.type) {
    case 'ConnectionCreated': {
      const created = keptConnection.evolve(null, event);
      return created ? showConnection(created) : {};
    }
    case 'ConnectionRenamed':
      return { name: event.data.name, updated_at: event.data.at };
    case 'ConnectionSecretReplaced':
      return { updated_at: event.data.at };
    case 'ConnectionDeleted':
      return {};
    default:
      return event satisfies never;
  }
}

/** All of an account's connections, newest first, as JSON text joined by commas. */
export async function listConnectionsOf(sql: SqlExecutor, accountId: number): Promise<string> {
  const { rows } = await sql.query<{ items: string | null }>({
    name: 'list-connections',
    text: `select string_agg(item::text, ',' order by created_position desc) as items
           from ${liveSchema(connectionsView)}.items where account_id = $1`,
    values: [accountId],
  });
  return rows[0]?.items ?? '';
}
