import { createDecoder, type PostgresEventStore, type SqlExecutor, type SqlQuery } from '@parley/event-store';
import { createTestDatabase } from '@parley/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { counted, countersProjection, fillLog, toCounter } from '../fixtures/counters.fixture.ts';
import { rowsOf, startCopy } from '../fixtures/test-service.fixture.ts';
import { readOwnLog } from '../log-reader.ts';
import { liveSchema } from './projection.ts';
import { type ListedProjection, listProjections } from './projection-status.ts';
import { rebuildProjection } from './rebuild-projection.ts';
import { verifyProjection } from './verify-projection.ts';

const counters = countersProjection();
const live = liveSchema(counters);
let url: string;
let drop: () => Promise<void>;
let store: PostgresEventStore;

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  store = await startCopy(url, [counters]);
});
afterEach(async () => {
  await store.close();
  await drop();
});

const rebuild = () => rebuildProjection({ pool: store.pool, projection: counters });
/** A rebuild beside which something is done whenever it reads. */
const rebuildBeside = (work: () => Promise<unknown>) => {
  const readLog = readOwnLog(store.pool, counters.handles, createDecoder());
  const read = (range: Parameters<typeof readLog>[0]) => work().then(() => readLog(range));
  return rebuildProjection({ pool: store.pool, projection: counters, read });
};
const verify = () => verifyProjection({ pool: store.pool, projection: counters });
const schemas = async () => {
  const { rows } = await store.pool.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname like 'view_%' order by 1`,
  );
  return rows.map(({ name }) => name);
};

/** Appends one after another until told to stop; resolves with how many. */
async function appendUntil(signal: AbortSignal): Promise<number> {
  let appends = 0;
  for (; !signal.aborted; appends += 1) await store.append(toCounter(`w${appends % 7}`, counted(1)));
  return appends;
}

describe('a rebuild', () => {
  test('of dropped rows gives the same rows as before, while appends go on', async () => {
    await fillLog(store, 20_000, 300);
    const before = await rowsOf(store, counters);
    await store.pool.query(`truncate ${live}.counters`);
    const stop = new AbortController();
    const appending = appendUntil(stop.signal);
    const rebuilt = await rebuild();
    stop.abort();
    const appends = await appending;
    expect(rebuilt.kind).toBe('rebuilt');
    expect(appends).toBeGreaterThan(0);
    const after = await rowsOf(store, counters);
    expect(after.filter(({ id }) => !String(id).startsWith('counter-w'))).toEqual(before);
    expect(await verify()).toMatchObject({ differing: 0, position: 20_000 + appends });
  });

  test('reports how far it is', async () => {
    await fillLog(store, 3_500);
    const seen: number[] = [];
    await rebuildProjection({
      pool: store.pool,
      projection: counters,
      onProgress: ({ position, head }) => {
        expect(head).toBe(3_500);
        seen.push(position);
      },
    });
    expect(seen).toEqual([1_000, 2_000, 3_000, 3_500]);
  });

  test('shows its status and progress to every copy, and is live again afterwards', async () => {
    await fillLog(store, 3_500);
    const seen: ListedProjection[] = [];
    await rebuildBeside(async () => seen.push(...(await listProjections(store.pool, [counters]))));
    expect(seen[0]).toMatchObject({ status: 'rebuilding', progress: 0, position: 3_500 });
    // The last page is read while the one before it is written.
    expect(seen.at(-1)?.status).toBe('rebuilding');
    expect([1_000, 2_000, 3_000]).toContain(seen.at(-1)?.progress);
    expect(await listProjections(store.pool, [counters])).toEqual([
      {
        name: 'counters',
        version: 1,
        position: 3_500,
        head: 3_500,
        status: 'live',
        progress: null,
        error: null,
      },
    ]);
  });

  test('whose process died has failed, and says so until another one is done', async () => {
    await fillLog(store, 100);
    // As its process left it: one that lives holds a lock meanwhile, and says itself that it is over.
    await store.pool.query(`update es.projections set status = 'rebuilding'`);
    expect(await listProjections(store.pool, [counters])).toMatchObject([{ status: 'failed' }]);
    await store.pool.query(`update es.projections set status = 'verifying'`);
    expect(await listProjections(store.pool, [counters])).toMatchObject([{ status: 'live' }]);
    await rebuild();
    expect(await listProjections(store.pool, [counters])).toMatchObject([{ status: 'live' }]);
  });

  test('that ends while it is looked at has not failed, though its lock is looked for after its status', async () => {
    await store.pool.query(`update es.projections set status = 'rebuilding'`);
    const earlier = await store.pool.connect();
    try {
      await earlier.query('begin isolation level repeatable read');
      await earlier.query('select from es.projections');
      await store.pool.query(`update es.projections set status = 'live'`);
      const looks = [earlier];
      const sql: SqlExecutor = {
        async query<Row extends object>(query: SqlQuery) {
          const { rows, rowCount } = await (looks.pop() ?? store.pool).query<Row>(query);
          return { rows, rowCount };
        },
      };
      expect(await listProjections(sql, [counters])).toMatchObject([{ status: 'live' }]);
    } finally {
      await earlier.query('rollback');
      earlier.release();
    }
  });

  test('is live with the swap, whoever still reads the old tables', async () => {
    await fillLog(store, 100);
    const reader = await store.pool.connect();
    try {
      await reader.query('begin');
      await reader.query(`select from ${live}.counters`);
      const rebuilding = rebuild();
      await expect.poll(schemas).toContain(`${live}__old`);
      const statuses = async () =>
        (await listProjections(store.pool, [counters])).map(({ status }) => status);
      await expect.poll(statuses).toEqual(['live']);
      await reader.query('rollback');
      await rebuilding;
      expect(await schemas()).toEqual([live]);
    } finally {
      reader.release();
    }
  });

  test('that cannot drop the old tables is done all the same', async () => {
    await fillLog(store, 100);
    await store.pool.query(`
      create function public.refuse() returns event_trigger language plpgsql as $$
      begin
        if exists (select from pg_event_trigger_dropped_objects() where object_identity = '${live}__old') then
          raise 'the disk says no';
        end if;
      end $$;
      create event trigger refuse on sql_drop execute function public.refuse()`);
    expect(await rebuild()).toMatchObject({ kind: 'rebuilt', position: 100 });
    expect(await listProjections(store.pool, [counters])).toMatchObject([{ status: 'live', error: null }]);
    await store.pool.query('drop event trigger refuse');
    await rebuild();
    expect(await schemas()).toEqual([live]);
  });

  test("keeps readers' prepared statements working across the swap", async () => {
    await fillLog(store, 5_000, 50);
    const stop = new AbortController();
    const clients = Array.from({ length: 3 }, () => new pg.Client({ connectionString: url }));
    await Promise.all(clients.map((reader) => reader.connect()));
    const readers = clients.map(async (reader) => {
      const counts = new Set<number>();
      do {
        const { rows } = await reader.query({
          name: 'read-counters',
          text: `select id, total, label from ${live}.counters order by total limit $1`,
          values: [100],
        });
        counts.add(rows.length);
      } while (!stop.signal.aborted);
      await reader.end();
      return [...counts];
    });
    const [{ length: count }] = [await rowsOf(store, counters)];
    for (let round = 0; round < 5; round += 1) await rebuild();
    stop.abort();
    expect(await Promise.all(readers)).toEqual([[count], [count], [count]]);
  });

  test('leaves nothing but the live tables behind', async () => {
    await fillLog(store, 100);
    await rebuild();
    await verify();
    expect(await schemas()).toEqual([live]);
  });

  test('is refused while another one is under way', async () => {
    await fillLog(store, 100);
    const meanwhile: string[] = [];
    const first = await rebuildBeside(async () => meanwhile.push((await rebuild()).kind));
    expect([first.kind, ...new Set(meanwhile)]).toEqual(['rebuilt', 'busy']);
  });

  test('brings back a schema that somebody has dropped', async () => {
    await fillLog(store, 500, 20);
    const before = await rowsOf(store, counters);
    await store.pool.query(`drop schema ${live} cascade`);
    await rebuild();
    expect(await rowsOf(store, counters)).toEqual(before);
    await store.append(toCounter('a', counted(1)));
    expect(await verify()).toMatchObject({ differing: 0 });
  });

  test('that fails leaves the live tables as they are, and says that it failed', async () => {
    await fillLog(store, 1_500, 20);
    const before = await rowsOf(store, counters);
    const broken = {
      ...counters,
      project: () => {
        throw new Error('a bug');
      },
    };
    await expect(rebuildProjection({ pool: store.pool, projection: broken })).rejects.toThrow('a bug');
    expect(await rowsOf(store, counters)).toEqual(before);
    expect(await listProjections(store.pool, [counters])).toMatchObject([
      { status: 'failed', error: expect.stringContaining('a bug'), position: 1_500 },
    ]);
  });
});

describe('a verification', () => {
  test('finds nothing when the rows are right, also while appends go on', async () => {
    await fillLog(store, 5_000, 100);
    const stop = new AbortController();
    const appending = appendUntil(stop.signal);
    const verified = await verify();
    stop.abort();
    await appending;
    expect(verified).toMatchObject({ kind: 'verified', differing: 0, differences: [] });
  });

  test('names rows that were changed, removed or added by something else', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => store.append(toCounter(id, counted(1)))));
    await store.pool.query(`update ${live}.counters set total = 99 where id = 'counter-a'`);
    await store.pool.query(`delete from ${live}.counters where id = 'counter-b'`);
    await store.pool.query(`insert into ${live}.counters values ('counter-x', 1, null, 1)`);
    const verified = await verify();
    expect(verified).toMatchObject({
      rows: 3,
      differing: 3,
      differences: [
        { table: 'counters', key: 'counter-a' },
        { table: 'counters', key: 'counter-b', live: null },
        { table: 'counters', key: 'counter-x', expected: null },
      ],
    });
    if (verified.kind !== 'verified') throw new Error('busy');
    expect(JSON.parse(verified.differences[0]?.live ?? '')).toMatchObject({ total: 99 });
    expect(JSON.parse(verified.differences[0]?.expected ?? '')).toMatchObject({ total: 1 });
  });

  test('names a hundred rows at most and counts them all', async () => {
    await fillLog(store, 10_000, 200);
    const { rowCount } = await store.pool.query(`update ${live}.counters set total = total + 1`);
    const verified = await verify();
    expect(rowCount).toBeGreaterThan(150);
    expect(verified).toMatchObject({ kind: 'verified', differing: rowCount });
    expect(verified.kind === 'verified' && verified.differences.length).toBe(100);
  });
});

test('after going back a release, a rebuild and a verification say how it goes with them', async () => {
  await fillLog(store, 100);
  const newer = await startCopy(url, [countersProjection(2)]);
  await newer.close();
  const seen: string[] = [];
  const readLog = readOwnLog(store.pool, counters.handles, createDecoder());
  const options = {
    pool: store.pool,
    projection: counters,
    read: async (range: Parameters<typeof readLog>[0]) => {
      seen.push(...(await listProjections(store.pool, [counters])).map(({ status }) => status));
      return readLog(range);
    },
  };
  await rebuildProjection(options);
  await verifyProjection(options);
  expect([...new Set(seen)]).toEqual(['rebuilding', 'verifying']);
  expect(await listProjections(store.pool, [counters])).toMatchObject([{ status: 'live' }]);
  const broken = { ...counters, project: () => Promise.reject(new Error('a bug')) };
  await expect(rebuildProjection({ pool: store.pool, projection: broken })).rejects.toThrow('a bug');
  expect(await listProjections(store.pool, [counters])).toMatchObject([{ status: 'failed' }]);
});
