import type { PostgresEventStore } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { counted, countersProjection, fillLog, labelled, toCounter } from '../fixtures/counters.fixture.ts';
import { countedPositions, echoedPositions, echoReactor } from '../fixtures/echo.fixture.ts';
import { rowsOf, startCopy } from '../fixtures/test-service.fixture.ts';
import { unreliableSource } from '../fixtures/unreliable-source.fixture.ts';
import type { ProcessorProblem } from '../problem.ts';
import { type Processor, startProcessors } from '../processors.ts';
import { followWith, readLogOf } from './following-projection.ts';
import { listProjections } from './projection-status.ts';
import { rebuildProjection } from './rebuild-projection.ts';
import { verifyProjection } from './verify-projection.ts';

const counters = countersProjection();
let store: PostgresEventStore;
let problems: ProcessorProblem[];
const toClose: (() => Promise<void>)[] = [];

async function openService(): Promise<PostgresEventStore> {
  const { url, drop } = await createTestDatabase();
  const service = await startCopy(url);
  toClose.push(async () => {
    await service.close();
    await drop();
  });
  return service;
}

async function run(processors: readonly Processor[], service = store) {
  const onProblem = (problem: ProcessorProblem) => problems.push(problem);
  const running = await startProcessors({ store: service, pool: service.pool, processors, onProblem });
  toClose.push(() => running.close());
  return running;
}

const listed = async () => (await listProjections(store.pool, [counters]))[0];
const isCaughtUp = async () =>
  eventually(async () => expect(await listed()).toMatchObject({ position: await store.head() }));

beforeEach(async () => {
  problems = [];
  store = await openService();
});
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

describe('a projection that follows the log', () => {
  test('shows the log as a rebuild would, soon after each append', async () => {
    await fillLog(store, 2_500, 40);
    await run([followWith(counters)]);
    await isCaughtUp();
    await fillLog(store, 500, 40);
    await isCaughtUp();
    const verified = await verifyProjection({ pool: store.pool, projection: counters });
    expect(verified).toMatchObject({ kind: 'verified', differing: 0, position: 3_000 });
    expect(await listed()).toMatchObject({ status: 'live', owner: expect.stringMatching(/^parley:owner/) });
  });

  test('can be rebuilt while it follows', async () => {
    await fillLog(store, 3_000, 40);
    await run([followWith(counters)]);
    await isCaughtUp();
    await Promise.all([
      rebuildProjection({ pool: store.pool, projection: counters }),
      fillLog(store, 2_000, 40),
    ]);
    await isCaughtUp();
    expect(await verifyProjection({ pool: store.pool, projection: counters })).toMatchObject({
      differing: 0,
    });
  });

  test('goes as far as it can, then stops and says so; a rebuild starts it again', async () => {
    let isBroken = true;
    const delicate = {
      ...counters,
      project: (...[events, db]: Parameters<typeof counters.project>) => {
        if (isBroken && events.some(({ position }) => position === 4)) throw new Error('a bug');
        return counters.project(events, db);
      },
    };
    await run([followWith(delicate)]);
    for (let index = 0; index < 6; index += 1) await store.append(toCounter('a', counted()));
    await eventually(async () =>
      expect(await listed()).toMatchObject({
        status: 'failed',
        position: 3,
        error: expect.stringMatching(/a bug/),
      }),
    );
    await eventually(() => expect(problems.at(-1)).toMatchObject({ kind: 'stopped', position: 4 }));
    isBroken = false;
    await rebuildProjection({ pool: store.pool, projection: delicate });
    await store.append(toCounter('a', counted()));
    await isCaughtUp();
    expect(await rowsOf(store, counters)).toMatchObject([{ total: 7 }]);
    expect(await listed()).toMatchObject({ status: 'live', error: null });
  });

  test('that stopped is tried again by a new process', async () => {
    const broken = {
      ...counters,
      project: () => {
        throw new Error('a bug');
      },
    };
    const stopped = await run([followWith(broken)]);
    await store.append(toCounter('a', counted()));
    await eventually(async () => expect(await listed()).toMatchObject({ status: 'failed' }));
    await stopped.close();
    await run([followWith(counters)]);
    await isCaughtUp();
    expect(await listed()).toMatchObject({ status: 'live' });
  });
});

describe("over another service's events, delivered three times and in any order", () => {
  const random = seeded(20_261_121);

  test('a projection ends in the same state as once and in order', async () => {
    const other = await openService();
    const source = unreliableSource(other, random);
    const inOrder = countersProjection(1, 'in_order');
    await fillLog(other, 700, 12);
    await run([followWith(counters, source)]);
    await run([followWith(inOrder)], other);
    for (let round = 0; round < 10; round += 1) {
      await fillLog(other, 200, 12);
      await other.append(toCounter(`round-${round}`, counted(round), labelled('x')));
    }
    const head = await other.head();
    await eventually(async () => expect(await listed()).toMatchObject({ position: head }));
    await eventually(async () => expect(await rowsOf(store, counters)).toEqual(await rowsOf(other, inOrder)));
    const options = { pool: store.pool, projection: counters, read: readLogOf(source, counters) };
    expect(await verifyProjection(options)).toMatchObject({ differing: 0, position: head });
    expect(await rebuildProjection(options)).toEqual({ kind: 'rebuilt', position: head });
    expect(await rowsOf(store, counters)).toEqual(await rowsOf(other, inOrder));
  });

  test("a reactor's effects happen once and in order, and its position is kept with them", async () => {
    const other = await openService();
    const source = unreliableSource(other, random);
    for (let round = 0; round < 4; round += 1) {
      const running = await run([echoReactor({ source })]);
      await fillLog(other, 150, 5);
      await eventually(async () =>
        expect((await echoedPositions(store)).length).toBeGreaterThan(100 * round),
      );
      await running.close();
    }
    await run([echoReactor({ source })]);
    await eventually(async () => expect(await echoedPositions(store)).toEqual(await countedPositions(other)));
    expect(await other.readStream('echo-1')).toEqual([]);
  });
});

/** Mulberry32: the same deliveries at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
