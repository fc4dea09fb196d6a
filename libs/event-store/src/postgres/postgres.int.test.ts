import { createTestDatabase, patience } from '@parley/testing';
import { setClockOffset } from '../clock.ts';
import { contractUpcasters } from '../contract/requests.contract.ts';
import { describeEventStore } from '../event-store.contract.ts';
import { createPostgresEventStore } from './postgres-event-store.ts';

describeEventStore('Postgres', async () => {
  const database = await createTestDatabase();
  const store = await createPostgresEventStore({
    connectionString: database.url,
    upcasters: contractUpcasters,
    timeouts: patience,
  });
  return {
    store,
    async timers() {
      const { rows } = await store.pool.query<{ id: string; kind: string; dueAt: string; dueInMs: number }>(
        `select id, kind, to_char(due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "dueAt",
           (extract(epoch from due_at - es.now()) * 1000)::float8 as "dueInMs"
         from es.timers`,
      );
      return rows;
    },
    setClock: (seconds) => setClockOffset(store.pool, seconds),
    async close() {
      await store.close();
      await database.drop();
    },
  };
});
