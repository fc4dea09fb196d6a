import { readdir } from 'node:fs/promises';
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
  const url = await newDatabase();
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
