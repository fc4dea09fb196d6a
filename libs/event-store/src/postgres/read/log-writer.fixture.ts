import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createPostgresEventStore } from '../../index.ts';

/**
 * A writer process of the gap oracle: appends events over a few streams, and beside each inserts a row into a table
 * numbered by an identity column, the way a log without an append lock would, committing after a random delay.
 */
const { values } = parseArgs({
  options: { url: { type: 'string' }, writers: { type: 'string' }, events: { type: 'string' } },
});
const { url = '' } = values;
const writers = Number(values.writers);
const eventsEach = Number(values.events) / writers;

const store = await createPostgresEventStore({ connectionString: url });
const naive = new pg.Pool({ connectionString: url, max: writers });

async function write(): Promise<void> {
  const streamId = `thing-${randomUUID()}`;
  for (let version = 0; version < eventsEach; version++) {
    await store.append({
      streamId,
      category: 'thing',
      accountId: 1,
      events: [{ type: 'Happened', data: { version } }],
      expectedVersion: version,
      metadata: {
        correlationId: '',
        causationId: '',
        commandId: null,
        actor: { kind: 'system', id: 'oracle' },
      },
    });
    if (version % 10 === 0)
      await naive.query(
        'with row as (insert into naive_log default values) select pg_sleep(random() * 0.004)',
      );
  }
}

await Promise.all(Array.from({ length: writers }, write));
await store.close();
await naive.end();
