import type { ConnectionEvent } from '@parley/contracts';
import type { RecordedEvent, SqlExecutor } from '@parley/event-store';
import { defineProjection, liveSchema } from '@parley/processing';
import { connectionCategory, keptConnection, showConnection } from '../connections/connection.ts';

type Recorded = RecordedEvent & ConnectionEvent;

/** One row per connection, without its secret. */
export const connectionsView = defineProjection({
  name: 'connections',
  version: 1,
  handles: [
    'ConnectionCreated',
    'ConnectionRenamed',
    'ConnectionSecretReplaced',
    'ConnectionDeleted',
  ] satisfies ConnectionEvent['type'][],
  tables: (schema) => `
    create table ${schema}.items (
      id int8 primary key,
      account_id int8 not null,
      created_position int8 not null,
      item json not null
    );
    create index items_newest_first on ${schema}.items (account_id, created_position desc);
  `,
  project(events, db) {
    for (const event of events.filter(isConnectionEvent)) {
      const id = Number(event.streamId.slice(event.streamId.lastIndexOf('-') + 1));
      const set = (fields: object) =>
        db.query({
          name: 'update',
          text: `update ${db.schema}.items set item = (item::jsonb || $2::jsonb)::json where id = $1`,
          values: [id, JSON.stringify(fields)],
        });
      switch (event.type) {
        case 'ConnectionCreated': {
          const created = keptConnection.evolve(null, event);
          db.query({
            name: 'insert',
            text: `insert into ${db.schema}.items (id, account_id, created_position, item) values ($1, $2, $3, $4)`,
            values: [id, event.accountId, event.position, JSON.stringify(created && showConnection(created))],
          });
          break;
        }
        case 'ConnectionRenamed':
          set({ name: event.data.name, updated_at: event.data.at });
          break;
        case 'ConnectionSecretReplaced':
          set({ updated_at: event.data.at });
          break;
        case 'ConnectionDeleted':
          db.query({ name: 'delete', text: `delete from ${db.schema}.items where id = $1`, values: [id] });
          break;
        default:
          event satisfies never;
      }
    }
  },
});

const isConnectionEvent = (event: RecordedEvent): event is Recorded => event.category === connectionCategory;

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
