import { startCuttingProxy } from '@parley/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { setClockOffset } from '../../clock.ts';
import { happened, request, stream } from '../../contract/requests.contract.ts';
import type { InlineProjector } from '../../sql.ts';
import type { PostgresEventStore } from '../postgres-event-store.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';

/** Notes each position with its stream's version and time: nothing of a forecast that fails may stay. */
const projector = (views: readonly string[] = []): InlineProjector => ({
  views,
  async project({ tx, events }) {
    void tx.query({
      name: 'seen',
      text: 'insert into seen select * from unnest($1::int8[], $2::int4[], $3::timestamptz[])',
      values: [
        events.map(({ position }) => position),
        events.map(({ streamVersion }) => streamVersion),
        events.map(({ recordedAt }) => recordedAt),
      ],
    });
  },
});

async function openSeeing(url: string): Promise<PostgresEventStore> {
  const store = await openStore(url, { inlineProjector: projector() });
  await store.pool.query('create table seen (position int8 primary key, version int4, at timestamptz)');
  return store;
}

/** What was projected is what was written, event by event. */
async function expectSeen(store: PostgresEventStore, count: number): Promise<void> {
  const { rows } = await store.pool.query(
    `select count(*)::int4 as events,
       count(*) filter (where (s.version, s.at) = (e.stream_version, e.recorded_at))::int4 as seen
     from es.events e full join seen s using (position)`,
  );
  expect(rows).toEqual([{ events: count, seen: count }]);
}

/** Several in a row, so that the next one is foretold. */
async function warmUp(store: PostgresEventStore, count = 3): Promise<void> {
  for (let n = 0; n < count; n += 1)
    expect(await store.append(request({ expectedVersion: 0 }))).toMatchObject({ kind: 'appended' });
}

describe('an append that goes as foretold', () => {
  test('takes one round trip with all that it projects', async () => {
    const proxy = await startCuttingProxy(await newDatabase());
    onTestFinished(() => proxy.close());
    const store = await openSeeing(proxy.url);
    await warmUp(store, 1);
    const streamId = stream();
    let [appends, oneTrip] = [0, 0];
    // A clock that was learned from a slow answer may fail a forecast: then that append takes more, and the next ones.
    for (; oneTrip < 10 && appends < 200; appends += 1) {
      const before = proxy.writerRequests;
      expect(await store.append(request({ streamId, expectedVersion: appends }))).toMatchObject({
        kind: 'appended',
        version: appends + 1,
      });
      if (proxy.writerRequests - before === 1) oneTrip += 1;
    }
    expect(oneTrip).toBe(10);
    await expectSeen(store, 1 + appends);
  });

  test('may be one of a run to one stream, which is written and projected as one batch', async () => {
    const store = await openSeeing(await newDatabase());
    await warmUp(store);
    const streamId = stream();
    const run = Array.from({ length: 300 }, (_, version) => request({ streamId, expectedVersion: version }));
    const results = await Promise.all(run.map((one) => store.append(one)));
    expect(results.map((result) => result.kind === 'appended' && result.version)).toEqual(
      run.map((_, index) => index + 1),
    );
    const times = results.map((result) => result.kind === 'appended' && result.recordedAt);
    // A batch holds 256.
    expect(new Set(times).size).toBe(2);
    await expectSeen(store, 303);
  });

  test('is recorded at the time of the platform', async () => {
    const store = await openSeeing(await newDatabase());
    await warmUp(store);
    const now = async () =>
      (await store.pool.query<{ now: Date }>('select es.now() as now')).rows[0]?.now.getTime() ?? 0;
    for (let n = 0; n < 20; n += 1) {
      const from = await now();
      const result = await store.append(request({ expectedVersion: 0 }));
      const at = result.kind === 'appended' ? Date.parse(result.recordedAt) : 0;
      expect(at).toBeGreaterThanOrEqual(from - 250);
      expect(at).toBeLessThanOrEqual((await now()) + 1);
    }
    const times = (await store.readAll({ after: 0, limit: 100 })).map(({ recordedAt }) => recordedAt);
    expect(times).toEqual([...new Set(times)].toSorted());
  });
});

describe('what comes otherwise than foretold is written as it comes', () => {
  test('when somebody else has appended', async () => {
    const url = await newDatabase();
    const [store, other] = [await openSeeing(url), await openStore(url, { inlineProjector: projector() })];
    for (let round = 0; round < 20; round += 1) {
      await warmUp(store);
      await warmUp(other, 1 + (round % 3));
    }
    await expectSeen(store, await store.head());
  });

  test('when two append without pause', async () => {
    const url = await newDatabase();
    const stores = [await openSeeing(url), await openStore(url, { inlineProjector: projector() })] as const;
    await Promise.all(stores.flatMap((store) => Array.from({ length: 8 }, () => warmUp(store, 20))));
    expect(await stores[0].head()).toBe(320);
    await expectSeen(stores[0], 320);
  });

  test('when somebody with other views has appended', async () => {
    const url = await newDatabase();
    const [store, other] = [
      await openSeeing(url),
      await openStore(url, { inlineProjector: projector(['v']) }),
    ];
    await warmUp(store);
    await warmUp(other);
    await warmUp(store);
    await expectSeen(store, 9);
  });

  test.each([3_600, -3_600])('when the clock was moved by %i s', async (seconds) => {
    const store = await openSeeing(await newDatabase());
    await warmUp(store);
    await setClockOffset(store.pool, seconds);
    await warmUp(store, 8);
    await expectSeen(store, 11);
    const times = (await store.readAll({ after: 0, limit: 100 })).map(({ recordedAt }) => recordedAt);
    expect(times).toEqual([...new Set(times)].toSorted());
    const [before = '', after = ''] = times.slice(2, 4);
    const moved = (Date.parse(after) - Date.parse(before)) / 1_000;
    expect(Math.round(moved / 3_600)).toBe(seconds > 0 ? 1 : 0);
  });

  test('when the clock was moved on before an append that nobody could foretell', async () => {
    const store = await openSeeing(await newDatabase());
    const now = async () =>
      (await store.pool.query<{ now: Date }>('select es.now() as now')).rows[0]?.now.getTime() ?? 0;
    await warmUp(store);
    await setClockOffset(store.pool, 3_600);
    await store.append(request({ expectedVersion: 'any' }));
    const moved = await now();
    while ((await now()) < moved + 50) await warmUp(store, 1);
    const from = await now();
    const result = await store.append(request({ expectedVersion: 0 }));
    // Its time is that of sending it, a clock's step apart.
    expect(result.kind === 'appended' && Date.parse(result.recordedAt)).toBeGreaterThanOrEqual(from - 5);
  });

  test('when it is refused, alone or among others', async () => {
    const store = await openSeeing(await newDatabase());
    const streamId = stream();
    await warmUp(store);
    await store.append(request({ streamId, expectedVersion: 0, events: [happened(1), happened(2)] }));
    const late = () => store.append(request({ streamId, expectedVersion: 1 }));
    expect(await late()).toMatchObject({ kind: 'conflict', actualVersion: 2 });
    await expectSeen(store, 5);
    await warmUp(store, 4);
    const results = await Promise.all(
      Array.from({ length: 9 }, (_, n) =>
        n % 3 === 1 ? late() : store.append(request({ expectedVersion: 0 })),
      ),
    );
    expect(results.map(({ kind }) => kind)).toEqual(
      results.map((_, n) => (n % 3 === 1 ? 'conflict' : 'appended')),
    );
    await expectSeen(store, 15);
  });
});
