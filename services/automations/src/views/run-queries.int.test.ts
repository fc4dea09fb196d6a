import { createTestStore, rowsRead, vacuum } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationsTable, automationsView } from './automations-view.ts';
import { listChosenRuns } from './list-runs.ts';
import { runsOfAccount } from './run-queries.ts';
import { runsTable, runsView } from './runs-view.ts';

test('an account’s runs are found without reading those of others', async () => {
  // One connection, whose statistics tell of all that is read.
  const store = await createTestStore([automationsView, runsView], { maxConnections: 1 });
  onTestFinished(() => store.close());
  const { pool } = store;
  // Account 1 has two of the automations, and 500 of 10,000 runs; many begin at the same moment.
  await pool.query(`
    insert into ${automationsTable} (id, account_id, created_position, version, name, created_at, updated_at, is_deleted)
    select n, case when n <= 2 then 1 else 2 end, n, 1, '', '', '', n = 2 from generate_series(1, 40) n`);
  await pool.query(`
    insert into ${runsTable} (id, automation_id, account_id, status, phase, phase_position, max_concurrent_runs,
      started_at, start_time, active_ms)
    select gen_random_uuid(), 1 + n % 40, case when n % 40 < 2 then 1 else 2 end, 'SUCCEEDED', 'ended', n, 1,
      timestamptz '2026-11-23' + (n / 400) * interval '1 second', '', 0
    from generate_series(1, 10000) n`);
  await vacuum(pool, runsTable);
  const before = await rowsRead(pool, runsTable);
  const found: string[] = [];
  for await (const id of runsOfAccount(pool, 1)) found.push(id);
  expect((await rowsRead(pool, runsTable)) - before).toBeLessThan(1_100);
  const own = await pool.query<{ id: string }>(`select id from ${runsTable} where account_id = 1`);
  expect(found.toSorted()).toEqual(own.rows.map(({ id }) => id).toSorted());
  expect(found).toHaveLength(500);
});

test.each([
  ['failed', 'FAILED', 'ended'],
  ['wait', 'PAUSED', 'paused'],
  ['are under way', 'RUNNING', 'backoff'],
] as const)('the few runs that %s are found without reading the others', async (_, status, phase) => {
  const store = await createTestStore([automationsView, runsView], { maxConnections: 1 });
  onTestFinished(() => store.close());
  const { pool } = store;
  await pool.query(`
    insert into ${automationsTable} (id, account_id, created_position, version, name, created_at, updated_at, is_deleted)
    values (1, 1, 1, 1, '', '', '', false)`);
  await pool.query(`
    insert into ${runsTable} (id, automation_id, account_id, status, phase, phase_position, max_concurrent_runs,
      started_at, start_time, active_ms)
    select gen_random_uuid(), 1, 1, case when n % 1000 = 0 then '${status}' else 'SUCCEEDED' end,
      case when n % 1000 = 0 then '${phase}' else 'ended' end, n, 1,
      timestamptz '2026-11-23' + n * interval '1 second', '', 0
    from generate_series(1, 20000) n`);
  await vacuum(pool, runsTable);
  const before = await rowsRead(pool, runsTable);
  const wanted = { accountId: 1, automationId: 1, limit: 20, status, before: undefined };
  const { runs } = JSON.parse((await listChosenRuns(pool, wanted)) ?? '');
  expect(runs).toHaveLength(20);
  await listChosenRuns(pool, { ...wanted, before: runs[9].id });
  expect((await rowsRead(pool, runsTable)) - before).toBeLessThan(100);
});
