import { readdir } from 'node:fs/promises';
import { createEmptyDatabase, rowsRead } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { request } from '../contract/requests.contract.ts';
import { migrate } from './migrate.ts';
import { newDatabase, openStore } from './testing.fixture.ts';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('several processes that start at once migrate one database once', async () => {
  const url = await newDatabase(createEmptyDatabase);
  await Promise.all(Array.from({ length: 8 }, () => migrate(url)));
  await migrate(url);
  const { rows } = await (await connect(url)).query('select file from es.migrations order by file');
  const files = (await readdir(new URL('../../migrations/', import.meta.url))).sort();
  expect(rows.map(({ file }) => file)).toEqual(files);
});

test('events are never updated, deleted or truncated', async () => {
  const url = await newDatabase();
  const store = await openStore(url);
  await store.append(request());
  const client = await connect(url);
  for (const statement of [
    "update es.events set data = '{}'",
    'update es.events set position = 9 where false',
    'delete from es.events',
    'truncate es.events',
  ])
    await expect(client.query(statement)).rejects.toMatchObject({ code: '23001' });
  expect(await store.readAll({ after: 0, limit: 10 })).toHaveLength(1);
});

test('the writer gives up on locks, statements and transactions that hang', async () => {
  const url = await newDatabase();
  const seen: Record<string, unknown>[] = [];
  const store = await openStore(url, {
    timeouts: { lockMs: 1_234, statementMs: 2_345, idleInTransactionMs: 3_456 },
    inlineProjector: {
      views: [],
      async project({ tx }) {
        const { rows } = await tx.query({
          text: `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
            current_setting('idle_in_transaction_session_timeout') as idle, current_setting('synchronous_commit') as sync`,
        });
        seen.push(...rows);
      },
    },
  });
  await store.append(request());
  expect(seen).toEqual([{ lock: '1234ms', statement: '2345ms', idle: '3456ms', sync: 'on' }]);
});

async function databaseWith(...settings: readonly string[]): Promise<string> {
  const url = await newDatabase();
  const client = await connect(url);
  const database = client.escapeIdentifier(new URL(url).pathname.slice(1));
  for (const setting of settings) await client.query(`alter database ${database} set ${setting}`);
  return url;
}

test('a server that writes times, numbers and texts in another style, and ends sessions at rest, does neither to ours', async () => {
  const url = await databaseWith(
    `datestyle = 'SQL, DMY'`,
    `timezone = 'America/New_York'`,
    `array_nulls = off`,
    `extra_float_digits = -5`,
    `standard_conforming_strings = off`,
    `idle_session_timeout = '1h'`,
  );
  const store = await openStore(url);
  await store.append(request());
  const [event] = await store.readAll({ after: 0, limit: 10 });
  expect(event?.recordedAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
  const { rows } = await store.pool.query(
    String.raw`select 1796051375563563::float8 as number, '\d' as text, '{NULL}'::text[] as list, current_setting('idle_session_timeout') as idle`,
  );
  expect(rows).toEqual([{ number: 1_796_051_375_563_563, text: String.raw`\d`, list: [null], idle: '0' }]);
});

test('on a server that keeps transactions apart otherwise, and ends what takes long, copies append as on any other', async () => {
  const url = await databaseWith(
    `default_transaction_isolation = 'serializable'`,
    `lock_timeout = '20ms'`,
    `statement_timeout = '20ms'`,
  );
  const copies = await Promise.all(Array.from({ length: 4 }, () => openStore(url)));
  const appended = await Promise.all(
    copies.map(async (copy) => {
      for (let events = 20; events > 0; events -= 1) await copy.append(request());
      return (await copy.pool.query('select pg_sleep(0.1)')).rowCount;
    }),
  );
  expect(appended).toEqual([1, 1, 1, 1]);
  expect(await copies[0]?.readAll({ after: 0, limit: 100 })).toHaveLength(80);
});

test('events at known positions are found without a look at what is between them', async () => {
  const store = await openStore(await newDatabase(), { maxConnections: 1 });
  await store.pool.query(`
    insert into es.events
    select n, now(), n % 1000, gen_random_uuid(), n, 1, 'thing-1', 'thing', 'Happened', '{}', '{}'
    from generate_series(1, 20000) n`);
  await store.pool.query('analyze es.events');
  const positions = Array.from({ length: 20 }, (_, index) => index * 1_000 + 2);
  const wanted = { after: 0, upTo: 20_000, limit: 20, accountId: 2, positions };
  // The same statement is planned for all values once it was asked for a few times.
  for (let times = 0; times < 8; times += 1) {
    const before = await rowsRead(store.pool, 'es.events');
    expect(await store.readAll(wanted)).toHaveLength(20);
    expect((await rowsRead(store.pool, 'es.events')) - before).toBeLessThan(50);
  }
});
