import { readdirSync, readFileSync } from 'node:fs';
import type { RunEvent, RunStatus } from '@parley/contracts';
import type { PostgresEventStore } from '@parley/event-store';
import { createTestStore, eventually, startCuttingProxy } from '@parley/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { run } from '../run/fold-run.ts';
import { type RunState, runCategory, runStream } from '../run/run.ts';
import { automationsTable, automationsView } from './automations-view.ts';
import { createRunLists, listChosenRuns } from './list-runs.ts';
import { claimText, createReadyRuns } from './ready-runs.ts';
import { runsTable, runsView } from './runs-view.ts';

const folder = new URL('../../golden/runs/', import.meta.url);
const histories = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file): RunEvent[] => JSON.parse(readFileSync(new URL(file, folder), 'utf8')).events);

let store: PostgresEventStore;
let newest: ReturnType<typeof createRunLists>;

beforeEach(async () => {
  store = await createTestStore([automationsView, runsView]);
  newest = createRunLists(store.pool);
});
afterEach(() => store.close());

/** As the history of a run of its own, in parts: one append for each. */
async function record(
  events: readonly RunEvent[],
  cuts: readonly number[],
  automationId = 7,
): Promise<string> {
  const id = uuidv7();
  const bounds = [...cuts, events.length];
  let from = 0;
  for (const to of bounds) {
    const part = events
      .slice(from, to)
      .map((event) =>
        event.type === 'RunStarted'
          ? { ...event, data: { ...event.data, run_id: id, automation_id: automationId } }
          : event,
      );
    const result = await store.append({
      streamId: runStream(id),
      category: runCategory,
      accountId: 3,
      expectedVersion: from,
      events: part,
      metadata: {
        correlationId: 'test',
        causationId: 'test',
        commandId: null,
        actor: { kind: 'system', id: 'test' },
      },
    });
    expect(result.kind).toBe('appended');
    from = to;
  }
  return id;
}

test('a row is what the history folds to, however the history is cut into appends', async () => {
  const recorded = await Promise.all(
    histories.flatMap((events) => [
      record(events, []).then((id) => ({ id, events })),
      ...events.slice(1).map((_, index) => record(events, [index + 1]).then((id) => ({ id, events }))),
      record(
        events,
        events.slice(1).map((_, index) => index + 1),
      ).then((id) => ({ id, events })),
    ]),
  );
  const { rows } = await store.pool.query(
    `select id, status, phase, active_ms, active_since, started_at from ${runsTable}`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, events } of recorded) {
    const state = events.reduce<RunState>(run.evolve, run.initialState);
    expect(byId.get(id)).toEqual({
      id,
      status: state?.status,
      phase: state?.phase,
      active_ms: state?.activeMs,
      active_since: state?.activeSince ? new Date(state.activeSince) : null,
      started_at: new Date(state?.startedAt ?? ''),
    });
  }
});

async function define(id: number, accountId: number, isDeleted = false): Promise<void> {
  await store.pool.query({
    text: `insert into ${automationsTable} (id, account_id, created_position, version, name, is_deleted, created_at, updated_at)
           values ($1, $2, 1, 1, 'Flow', $3, '', '')`,
    values: [id, accountId, isDeleted],
  });
}

test('runs are listed newest first, as many as asked for, of one automation alone', async () => {
  const [history = []] = histories;
  const shifted = (minutes: number): RunEvent[] =>
    history.map((event) =>
      event.type === 'RunStarted'
        ? { ...event, data: { ...event.data, at: new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString() } }
        : event,
    );
  const ids = await Promise.all(Array.from({ length: 30 }, (_, index) => record(shifted(index % 25), [])));
  await record(history, [], 8);
  await Promise.all([define(7, 3), define(8, 3)]);
  const listed = JSON.parse((await newest({ accountId: 3, automationId: 7, limit: 20 })) ?? '').runs;
  const expected = ids
    .map((id, index) => ({ id, minute: index % 25 }))
    .sort((a, b) => b.minute - a.minute || (a.id < b.id ? 1 : -1))
    .slice(0, 20);
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(expected.map(({ id }) => id));
});

test('a list goes on behind a run, and shows those of one status alone', async () => {
  await Promise.all([define(7, 3), define(8, 3)]);
  const ids = new Map<string, string>();
  for (const events of histories) {
    const state = events.reduce<RunState>(run.evolve, run.initialState);
    for (let n = 0; n < 3; n += 1) ids.set(await record(events, []), state?.status ?? '');
  }
  const chosen = (of: { status?: RunStatus; before?: string; automationId?: number }) =>
    listChosenRuns(store.pool, {
      ...{ accountId: 3, automationId: 7, limit: 4, status: undefined, before: undefined },
      ...of,
    });
  const all = JSON.parse((await newest({ accountId: 3, automationId: 7, limit: 1_000 })) ?? '').runs;
  for (const status of [undefined, 'FAILED', 'SUCCEEDED', 'PAUSED', 'RUNNING'] as const) {
    const listed: string[] = [];
    for (;;) {
      const before = listed.at(-1);
      const body = await chosen({ ...(status && { status }), ...(before !== undefined && { before }) });
      const { runs } = JSON.parse(body ?? '');
      listed.push(...runs.map(({ id }: { id: string }) => id));
      if (runs.length < 4) break;
    }
    const expected = all.filter(
      (item: { id: string }) => status === undefined || ids.get(item.id) === status,
    );
    expect(listed).toEqual(expected.map(({ id }: { id: string }) => id));
  }
  expect(all.length).toBeGreaterThan(4);
  const [first] = all;
  expect(await chosen({ before: first.id.toUpperCase() })).toContain('"id"');
  expect(await chosen({ before: first.id, automationId: 8 })).toBe('unknown');
  expect(await chosen({ before: 'nonsense' })).toBe('unknown');
  expect(await chosen({ automationId: 9 })).toBeNull();
});

test('a list shows each run as its history folds to, also among lists of others', async () => {
  await Promise.all([define(7, 3), define(8, 4), define(9, 3, true), define(10, 3)]);
  const states = new Map<string, RunState>();
  for (const events of histories)
    states.set(await record(events, []), events.reduce<RunState>(run.evolve, run.initialState));
  const ask = (accountId: number, automationId: number) => newest({ accountId, automationId, limit: 100 });
  const [ours, another, foreign, deleted, unknown, without] = await Promise.all([
    ask(3, 7),
    ask(4, 8),
    ask(3, 8),
    ask(3, 9),
    ask(3, 11),
    ask(3, 10),
  ]);
  const now = Date.now();
  const shown: { id: string; duration_ms: number }[] = JSON.parse(ours ?? '').runs;
  expect(shown).toHaveLength(states.size);
  for (const { id, duration_ms: durationMs, ...rest } of shown) {
    const state = states.get(id);
    if (!state) throw new Error(`${id} is not ours.`);
    expect(rest).toEqual({ status: state.status, start_time: new Date(state.startedAt).toISOString() });
    // Those under way go on while the test does.
    if (state.activeSince === null) expect(durationMs).toBe(state.activeMs);
    else
      expect(Math.abs(durationMs - state.activeMs - (now - Date.parse(state.activeSince)))).toBeLessThan(
        60_000,
      );
  }
  expect([another, without]).toEqual(['{"runs":[]}', '{"runs":[]}']);
  expect([foreign, deleted, unknown]).toEqual([null, null, null]);
});

test('a claim whose connection is lost while its runs are taken up fails, and nothing else does', async () => {
  await record(histories[0]?.slice(0, 1) ?? [], []);
  const ready = createReadyRuns(store.pool);
  const wanted = { limit: 10, maxPerAccount: 10, taken: new Map<number, number>(), except: [] };
  const claimed = ready.claim(wanted, async (runs) => {
    expect(runs).toHaveLength(1);
    const open = `from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
    expect((await store.pool.query(`select pg_terminate_backend(pid) ${open}`)).rowCount).toBe(1);
    await eventually(async () => expect((await store.pool.query(`select ${open}`)).rowCount).toBe(0));
  });
  await expect(claimed).rejects.toThrow();
  await ready.claim(wanted, async (runs) => expect(runs).toHaveLength(1));
});

test('a claim whose connection was lost without a word fails soon', async () => {
  await record(histories[0]?.slice(0, 1) ?? [], []);
  const proxy = await startCuttingProxy(store.pool.options.connectionString ?? '');
  const pool = new pg.Pool({ connectionString: proxy.url });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await proxy.close();
  });
  const wanted = { limit: 10, maxPerAccount: 10, taken: new Map<number, number>(), except: [] };
  const claimed = createReadyRuns(pool).claim(wanted, async () => proxy.goSilent());
  await expect(claimed).rejects.toThrow('Query read timeout');
});

test('runs that a process had claimed when it fell silent are left to others soon', async () => {
  const id = await record(histories[0]?.slice(0, 1) ?? [], []);
  const proxy = await startCuttingProxy(store.pool.options.connectionString ?? '');
  const pool = new pg.Pool({ connectionString: proxy.url });
  pool.on('error', () => undefined);
  const [taken, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wanted = { limit: 10, maxPerAccount: 10, taken: new Map<number, number>(), except: [] };
  const silent = createReadyRuns(pool).claim(wanted, async () => {
    proxy.goSilent();
    taken.resolve();
    await over.promise;
  });
  onTestFinished(async () => {
    over.resolve();
    await expect(silent).rejects.toThrow();
    await pool.end();
    await proxy.close();
  });
  await taken.promise;
  const others = createReadyRuns(store.pool);
  const claimed: string[] = [];
  await eventually(async () => {
    await others.claim(wanted, async (runs) => {
      claimed.push(...runs.map(({ runId }) => runId));
    });
    expect(claimed).toEqual([id]);
  });
});

test('runs that are left alone take no place of those behind them', async () => {
  const [started] = histories[0] ?? [];
  if (started?.type !== 'RunStarted') throw new Error('A history begins otherwise.');
  const only = { ...started, data: { ...started.data, max_concurrent_runs: 1 } };
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push(await record([only], []));
  const claimed: string[] = [];
  const wanted = { limit: 1, maxPerAccount: 10, taken: new Map<number, number>(), except: ids.slice(0, 2) };
  await createReadyRuns(store.pool).claim(wanted, async (runs) => {
    claimed.push(...runs.map(({ runId }) => runId));
  });
  expect(claimed).toEqual(ids.slice(2));
});

test('a run that is ready is found among thousands that could not be begun yet, by a hash of those', async () => {
  const failed = 20_000;
  const { rows } = await store.pool.query<{ id: string }>({
    text: `insert into ${runsTable} (id, automation_id, account_id, status, phase, phase_position, max_concurrent_runs,
                                     started_at, start_time, active_ms)
           select gen_random_uuid(), 7, 3, 'RUNNING', 'ready', n, 50, now(), '', 0
           from generate_series(1, $1::int) n returning id`,
    values: [failed + 1],
  });
  const ids = rows.map(({ id }) => id);
  const ready = createReadyRuns(store.pool);
  const wanted = {
    limit: 10,
    maxPerAccount: 10,
    taken: new Map<number, number>(),
    except: ids.slice(0, failed),
  };
  await ready.claim(wanted, async (runs) =>
    expect(runs.map(({ runId }) => runId)).toEqual(ids.slice(failed)),
  );
  // Each compared with each would be 400 million comparisons.
  const plan = await store.pool.query({
    text: `explain ${claimText}`,
    values: [wanted.limit, [], [], wanted.maxPerAccount, wanted.except],
  });
  expect(JSON.stringify(plan.rows)).toContain('hashed SubPlan');
});
