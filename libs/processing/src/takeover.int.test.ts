import type { PostgresEventStore } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { counted, toCounter } from './fixtures/counters.fixture.ts';
import { countedPositions, echoedPositions, echoReactor } from './fixtures/echo.fixture.ts';
import { spawnWorker } from './fixtures/spawn-worker.fixture.ts';
import { startCopy } from './fixtures/test-service.fixture.ts';
import type { Reactor } from './reactors/reactor.ts';
import { startReactors } from './reactors/start-reactors.ts';

let url: string;
let drop: () => Promise<void>;
let store: PostgresEventStore;
const toClose: (() => Promise<void>)[] = [];

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  store = await startCopy(url);
});
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
  await store.close();
  await drop();
});

async function run(reactors: readonly Reactor[], copy = store) {
  const running = startReactors({ store: copy, pool: copy.pool, reactors });
  toClose.push(() => running.close());
  return running;
}

const appendCounted = async (count: number) => {
  await Promise.all(
    Array.from({ length: count }, (_, n) => store.append(toCounter(String(n % 9), counted()))),
  );
};
const everyEventIsEchoedOnceInOrder = () =>
  eventually(async () => expect(await echoedPositions(store)).toEqual(await countedPositions(store)));

/** Ends the sessions that hold a reactor, as a network or a silent process would; resolves with how many. */
async function cutOwners(): Promise<number | null> {
  const { rowCount } = await store.pool.query(
    `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and application_name = 'parley:owner' and datname = current_database()`,
  );
  return rowCount;
}

describe('of several copies', () => {
  test('one runs a reactor, another takes over when it stops', async () => {
    const other = await startCopy(url);
    toClose.push(() => other.close());
    const owners = new Set<string>();
    const echo = echoReactor();
    const named = (name: string) =>
      echoReactor({
        react: (event, context) => {
          owners.add(name);
          return echo.react(event, context);
        },
      });
    const first = await run([named('first')]);
    await appendCounted(1);
    await everyEventIsEchoedOnceInOrder();
    await run([named('second')], other);
    await appendCounted(30);
    await everyEventIsEchoedOnceInOrder();
    expect([...owners]).toEqual(['first']);
    await first.close();
    await appendCounted(30);
    await everyEventIsEchoedOnceInOrder();
    expect([...owners]).toEqual(['first', 'second']);
  });

  test('another takes over from one whose session is cut, and no effect is doubled', async () => {
    const other = await startCopy(url);
    toClose.push(() => other.close());
    await Promise.all([run([echoReactor()]), run([echoReactor()], other)]);
    for (let round = 0; round < 3; round += 1) {
      await appendCounted(30);
      await cutOwners();
      await appendCounted(30);
    }
    await everyEventIsEchoedOnceInOrder();
  });

  test('one that was taken over and comes back has its effect refused', async () => {
    const other = await startCopy(url);
    toClose.push(() => other.close());
    const echo = echoReactor();
    let comeBack: () => void = () => undefined;
    const sleeping = new Promise<void>((resolve) => {
      comeBack = resolve;
    });
    let isHandling = false;
    let hasReturned = false;
    const zombie = echoReactor({
      react: async (event, context) => {
        if (hasReturned) return undefined;
        isHandling = true;
        await sleeping;
        hasReturned = true;
        return echo.react(event, context);
      },
    });
    await appendCounted(1);
    await run([zombie]);
    toClose.push(async () => comeBack());
    await eventually(() => expect(isHandling).toBe(true));
    expect(await cutOwners()).toBe(1);
    await run([echo], other);
    await everyEventIsEchoedOnceInOrder();
    comeBack();
    await eventually(() => expect(hasReturned).toBe(true));
    await appendCounted(5);
    await everyEventIsEchoedOnceInOrder();
  });

  test('another takes over soon from one that was killed, and no effect is doubled', async () => {
    for (let round = 0; round < 4; round += 1) {
      const worker = await spawnWorker('reactor', url);
      toClose.push(worker.kill);
      const target = (await echoedPositions(store)).length + 40;
      await appendCounted(80);
      await eventually(async () => expect((await echoedPositions(store)).length).toBeGreaterThan(target));
      await worker.kill();
    }
    const before = (await echoedPositions(store)).length;
    await run([echoReactor()]);
    await eventually(
      async () => expect((await echoedPositions(store)).length).toBeGreaterThan(before),
      // Before Postgres would ask whether the one that was killed is still there.
      20_000,
    );
    await everyEventIsEchoedOnceInOrder();
  });
});
