import { randomUUID } from 'node:crypto';
import { importEvents } from '@parley/contracts';
import { eventually, rowsRead, travelling } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase, openCopy } from '../sealing/sealed-copy.fixture.ts';
import { importIntoLog } from './import-log.ts';

const accountId = 1;

test('an import whose connection is lost is rejected, has written nothing, and may be repeated', async () => {
  const { store, seals } = await openCopy(await newDatabase(), () => undefined);
  const { pool } = store;
  const input = importEvents.input.parse({
    events: travelling({ accountId, category: 'folder', streamId: `folder-${randomUUID()}` }, [
      { type: 'FolderCreated', data: { id: 1, name: 'Leads', color: null } },
    ]),
    names: { account_id: accountId, held: [] },
    next_ids: {},
  });
  const other = await pool.connect();
  onTestFinished(() => other.release());
  await other.query('begin; select from es.head for update');
  const importing = importIntoLog(pool, seals, input);
  const lost = expect(importing).rejects.toThrow();
  await eventually(async () => {
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_locks where not granted and pid in
         (select pid from pg_stat_activity where datname = current_database())`,
    );
    expect(rowCount).toBe(1);
  });
  await lost;
  await other.query('commit');
  expect(await store.head()).toBe(0);
  expect(await importIntoLog(pool, seals, input)).toEqual({ imported: 1, present: 0 });
});

test('what goes on in a long stream is imported without a look at all of it', async () => {
  const { store, seals } = await openCopy(await newDatabase(), () => undefined);
  const { pool } = store;
  const length = 20_000;
  const streamId = `folder-${randomUUID()}`;
  await pool.query(
    `insert into es.events
     select n, '2020-01-01', $1, gen_random_uuid(), n, 1, $2, 'folder', 'FolderRenamed', '{}', '{}'
     from generate_series(1, ${length}) n`,
    [accountId, streamId],
  );
  await pool.query('update es.head set position = $1', [length]);
  await pool.query('vacuum analyze es.events');
  const [first] = travelling({ accountId, category: 'folder', streamId }, [
    { type: 'FolderRenamed', data: { id: 1, name: 'Leads' } },
  ]);
  const input = importEvents.input.parse({
    events: [{ ...first, stream_version: length + 1 }],
    names: { account_id: accountId, held: [] },
    next_ids: {},
  });
  const before = await rowsRead(pool, 'es.events');
  expect(await importIntoLog(pool, seals, input)).toEqual({ imported: 1, present: 0 });
  expect((await rowsRead(pool, 'es.events')) - before).toBeLessThan(100);
});

test('how deep a chain of runs is that an event goes back to comes with it', async () => {
  const { store, seals } = await openCopy(await newDatabase(), () => undefined);
  const [first, second] = travelling({ accountId, category: 'folder', streamId: `folder-${randomUUID()}` }, [
    { type: 'FolderCreated', data: { id: 1, name: 'Leads', color: null } },
    { type: 'FolderRenamed', data: { id: 1, name: 'Customers' } },
  ]);
  const input = importEvents.input.parse({
    events: [first, { ...second, metadata: { ...second?.metadata, chain_depth: 4 } }],
    names: { account_id: accountId, held: [] },
    next_ids: {},
  });
  await importIntoLog(store.pool, seals, input);
  const events = await store.readAll({ after: 0, limit: 10 });
  expect(events.map(({ metadata }) => metadata.chainDepth)).toEqual([undefined, 4]);
});
