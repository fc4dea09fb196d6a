import type { PostgresEventStore } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  counted,
  countersProjection,
  fillLog,
  labelled,
  removed,
  toCounter,
} from '../fixtures/counters.fixture.ts';
import { rowsOf, startCopy } from '../fixtures/test-service.fixture.ts';
import { keepProjectionsCurrent } from './keep-current.ts';
import { defineProjection, liveSchema, type Projection } from './projection.ts';
import { listProjections } from './projection-status.ts';
import { verifyProjection } from './verify-projection.ts';

let url: string;
let drop: () => Promise<void>;
const copies: PostgresEventStore[] = [];
const toStop: (() => Promise<void>)[] = [];

async function start(...projections: readonly Projection[]): Promise<PostgresEventStore> {
  const copy = await startCopy(url, projections);
  copies.push(copy);
  return copy;
}

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
});
afterEach(async () => {
  for (const stop of toStop.splice(0)) await stop();
  await Promise.all(copies.splice(0).map((copy) => copy.close()));
  await drop();
});

const counters = countersProjection();
const newerCounters = countersProjection(2);
/** Counts an event as often as it gets it, as projections may that rely on getting each once. */
const tally = defineProjection({
  name: 'tally',
  version: 1,
  handles: ['Counted'],
  tables: (schema) => `create table ${schema}.tally (id text primary key, events int4 not null)`,
  project(events, db) {
    db.query({
      text: `insert into ${db.schema}.tally as t values ('all', $1)
             on conflict (id) do update set events = t.events + excluded.events`,
      values: [events.length],
    });
  },
});

describe('an inline projection', () => {
  test('shows an append as soon as it is acknowledged, to every copy', async () => {
    const [first, second] = [await start(counters), await start(counters)];
    await first.append(toCounter('a', counted(2), labelled('x')));
    await second.append(toCounter('a', counted(3)));
    await first.append(toCounter('b', counted(1)));
    await first.append(toCounter('b', removed));
    const expected = [{ id: 'counter-a', total: 5, label: 'x', position: 3 }];
    expect(await rowsOf(first, counters)).toEqual(expected);
    expect(await rowsOf(second, counters)).toEqual(expected);
  });

  test('is the same as one made from the log, after many appends of two copies at once', async () => {
    const [first, second] = [await start(counters), await start(counters)];
    await Promise.all([fillLog(first, 1_500, 20), fillLog(second, 1_500, 20)]);
    const verified = await verifyProjection({ pool: first.pool, projection: counters });
    expect(verified).toMatchObject({ kind: 'verified', rows: 20, differing: 0, position: 3_000 });
  });

  test('rejects an append it cannot project, and writes nothing of it', async () => {
    const picky = defineProjection({
      name: 'picky',
      version: 1,
      handles: ['Counted'],
      tables: (schema) => `create table ${schema}.seen (by int4 primary key check (by < 10))`,
      project: (events, db) => {
        for (const event of events)
          db.query({
            text: `insert into ${db.schema}.seen select ($1::jsonb ->> 'by')::int4 on conflict do nothing`,
            values: [JSON.stringify(event.data)],
          });
      },
    });
    const store = await start(counters, picky);
    const outcomes = await Promise.allSettled(
      [1, 11, 2].map((by) => store.append(toCounter(String(by), counted(by)))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await rowsOf(store, picky, 'seen')).toEqual([{ by: 1 }, { by: 2 }]);
    expect(await store.head()).toBe(2);
  });
});

describe('a new version of a projection', () => {
  test('is built beside the old one while copies with the old one go on', async () => {
    const old = await start(counters);
    await fillLog(old, 2_000, 20);
    const young = await start(newerCounters);
    expect(await rowsOf(young, newerCounters)).toEqual(await rowsOf(old, counters));
    await old.append(toCounter('a', counted(1)));
    await young.append(toCounter('a', counted(1)));
    await young.append(toCounter('b', counted(1)));
    await old.append(toCounter('b', counted(1)));
    await young.append(toCounter('c', counted(1)));
    // 20 counters of which one ends removed, and a, b, c.
    expect(await rowsOf(young, newerCounters)).toHaveLength(22);
    for (const [copy, projection] of [
      [old, counters],
      [young, newerCounters],
    ] as const)
      expect(await verifyProjection({ pool: copy.pool, projection })).toMatchObject({ differing: 0 });
  });

  test('catches up in the append when a copy without it has appended many events', async () => {
    const old = await start(counters);
    const young = await start(newerCounters);
    await fillLog(old, 2_500, 20);
    await Promise.all([fillLog(young, 1_000, 20), fillLog(old, 1_000, 20)]);
    await young.append(toCounter('last', counted(1)));
    expect(await rowsOf(young, newerCounters)).toHaveLength(21);
    const verified = await verifyProjection({ pool: young.pool, projection: newerCounters });
    expect(verified).toMatchObject({ differing: 0, position: 4_501 });
  });

  test('leaves the older copies seeing what the newer ones append', async () => {
    const old = await start(counters);
    const keeper = keepProjectionsCurrent({ store: old, pool: old.pool, projections: [counters] });
    toStop.push(() => keeper.close());
    const young = await start(newerCounters);
    for (let round = 1; round <= 3; round += 1) {
      await fillLog(young, 1_200, 20);
      await young.append(toCounter('a', counted(1)));
      await eventually(async () =>
        expect((await rowsOf(old, counters)).find(({ id }) => id === 'counter-a')?.total).toBe(round),
      );
    }
    await Promise.all([fillLog(young, 500, 20), fillLog(old, 500, 20)]);
    expect(await verifyProjection({ pool: old.pool, projection: counters })).toMatchObject({ differing: 0 });
  });

  test('is not caught up by a keeper with what was appended while it waited, which is projected already', async () => {
    const [own, other] = [await start(tally), await start()];
    await other.append(toCounter('a', counted(1)));
    const client = await own.pool.connect();
    await client.query('begin');
    await client.query('select from es.checkpoints for update');
    const waiting = async (count: number) => {
      const { rowCount } = await own.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(count);
    };
    // The append is first to get the checkpoint: behind it the keeper finds the views at the head.
    const appending = own.append(toCounter('a', counted(1)));
    await eventually(() => waiting(1));
    const store = {
      onAppended: own.onAppended.bind(own),
      // What is appended between any two looks of the keeper.
      head: async () => {
        await own.append(toCounter('a', counted(1)));
        return own.head();
      },
    };
    const keeper = keepProjectionsCurrent({ store, pool: own.pool, projections: [tally] });
    toStop.push(() => keeper.close());
    await eventually(() => waiting(2));
    await client.query('commit');
    client.release();
    await appending;
    await eventually(() => waiting(0));
    await keeper.close();
    expect(await verifyProjection({ pool: own.pool, projection: tally })).toMatchObject({ differing: 0 });
  });

  test('leaves the previous version for going back and drops those before it', async () => {
    const first = await start(counters);
    await first.append(toCounter('a', counted(1)));
    await start(newerCounters);
    const third = await start(countersProjection(3));
    const { rows } = await third.pool.query(
      `select nspname as name from pg_namespace where nspname like 'view_%' order by 1`,
    );
    expect(rows).toEqual([{ name: 'view_counters_v2' }, { name: 'view_counters_v3' }]);
  });
});

describe('preparing projections', () => {
  test('builds them once when several copies start together', async () => {
    const first = await start();
    await fillLog(first, 3_000, 20);
    const together = await Promise.all([start(counters), start(counters), start(counters)]);
    const [listed] = await listProjections(first.pool, [counters]);
    expect(listed).toMatchObject({ position: 3_000, head: 3_000, status: 'live' });
    await Promise.all(together.map((copy, index) => copy.append(toCounter(`x${index}`, counted(1)))));
    expect(await verifyProjection({ pool: first.pool, projection: counters })).toMatchObject({
      differing: 0,
    });
  });

  test('goes on where an earlier start was cut off', async () => {
    const first = await start();
    await fillLog(first, 2_500, 20);
    const broken: Projection = {
      ...counters,
      project: (events, db) => {
        if (events.some(({ position }) => position > 2_000)) throw new Error('cut off');
        return counters.project(events, db);
      },
    };
    await expect(startCopy(url, [broken])).rejects.toThrow('cut off');
    expect(await listProjections(first.pool, [counters])).toMatchObject([{ position: 2_000 }]);
    await start(counters);
    expect(await verifyProjection({ pool: first.pool, projection: counters })).toMatchObject({
      differing: 0,
      position: 2_500,
    });
  });

  test('is refused when the tables changed under one version', async () => {
    await start(counters);
    const changed = { ...counters, tables: (schema: string) => `create table ${schema}.counters (id int8)` };
    await expect(startCopy(url, [changed])).rejects.toThrow(/raise its version/);
  });

  test('makes tables again that somebody has dropped', async () => {
    const store = await start(counters);
    await fillLog(store, 200, 5);
    const before = await rowsOf(store, counters);
    await store.pool.query(`drop schema ${liveSchema(counters)} cascade`);
    const again = await start(counters);
    expect(await rowsOf(again, counters)).toEqual(before);
  });
});
