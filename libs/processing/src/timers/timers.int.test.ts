import { Contended, type PostgresEventStore, type RecordedEvent, setClockOffset } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cancelTimer, fireHandlers, setTimer } from '../fixtures/fire.fixture.ts';
import { spawnWorker } from '../fixtures/spawn-worker.fixture.ts';
import { startCopy } from '../fixtures/test-service.fixture.ts';
import type { ProcessorProblem } from '../problem.ts';
import { WorkInHand } from '../work-in-hand.ts';
import { fireIfDue } from './fire-timer.ts';
import type { TimerHandler } from './timer.ts';
import { startTimers, type TimersOptions } from './timers.ts';

let url: string;
let drop: () => Promise<void>;
let store: PostgresEventStore;
let problems: ProcessorProblem[];
const toClose: (() => Promise<void>)[] = [];

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  store = await startCopy(url);
  problems = [];
});
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
  await store.close();
  await drop();
});

function start(options: Partial<TimersOptions> = {}, copy = store) {
  const onProblem = (problem: ProcessorProblem) => problems.push(problem);
  const running = startTimers({
    store: copy,
    pool: copy.pool,
    handlers: fireHandlers,
    onProblem,
    ...options,
  });
  toClose.push(() => running.close());
  return running;
}

async function startOtherCopy(): Promise<PostgresEventStore> {
  const copy = await startCopy(url);
  toClose.push(() => copy.close());
  return copy;
}

const setMany = (count: number, afterMs: (index: number) => number, from = 0) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => store.append(setTimer(String(from + index), afterMs(index)))),
  );

const fired = (): Promise<RecordedEvent[]> => store.readAll({ after: 0, limit: 10_000, types: ['Fired'] });

const streamsFired = async () => (await fired()).map(({ streamId }) => streamId);

const dueAtOf = ({ data }: RecordedEvent): string =>
  typeof data === 'object' && data !== null && 'dueAt' in data ? String(data.dueAt) : '';

/** Each timer once, none before it was due; resolves with how late the latest was, in milliseconds. */
async function expectEachFiredOnce(count: number): Promise<number> {
  await eventually(async () => expect((await fired()).length).toBeGreaterThanOrEqual(count));
  const events = await fired();
  expect(new Set(events.map(({ streamId }) => streamId)).size).toBe(count);
  expect(events).toHaveLength(count);
  for (const event of events) expect(event.recordedAt >= dueAtOf(event)).toBe(true);
  expect((await store.pool.query('select from es.timers')).rowCount).toBe(0);
  return Math.max(...events.map((event) => Date.parse(event.recordedAt) - Date.parse(dueAtOf(event))));
}

describe('timers', () => {
  test('fire once each and never early, shared by two copies', async () => {
    start();
    start({}, await startOtherCopy());
    await setMany(300, (index) => (index * 7) % 400);
    await expectEachFiredOnce(300);
    expect(problems).toEqual([]);
  });

  test('that come due behind thousands of late ones do not wait until those have fired', async () => {
    const late = 4_000;
    await store.pool.query({
      text: `insert into es.timers (id, kind, due_at, payload, created_at)
             select 'late-' || n, 'late', now() - interval '1 minute', '{}', now() from generate_series(1, $1::int) n`,
      values: [late],
    });
    start({ handlers: { ...fireHandlers, late: () => undefined }, maxPerSecond: 500 });
    await store.append(setTimer('new', 100));
    await eventually(async () => expect(await fired()).toHaveLength(1));
    const left = await store.pool.query('select from es.timers');
    expect(left.rowCount).toBeGreaterThan(late / 2);
  });

  test('one fired before what it is about changes waits out that others change it, too', async () => {
    await store.append(setTimer('a', 0));
    let tries = 0;
    const handler = (...[timer, context]: Parameters<TimerHandler>) => {
      tries += 1;
      if (tries < 3) throw new Contended('a view is behind');
      return fireHandlers.fire?.(timer, context);
    };
    const by = await store.now();
    await fireIfDue({ id: 'a', by }, handler, { store, sql: store.pool });
    await fireIfDue({ id: 'a', by }, handler, { store, sql: store.pool });
    await expectEachFiredOnce(1);
    expect(tries).toBe(3);
  });

  test('what follows a fired timer is done once over two copies, when its append is durable', async () => {
    const done: string[] = [];
    const handlers: TimersOptions['handlers'] = {
      fire: async (timer, context) => {
        const append = await fireHandlers.fire?.(timer, context);
        const afterwards = () => done.push(timer.id);
        return append && { ...append, afterwards };
      },
    };
    start({ handlers });
    start({ handlers }, await startOtherCopy());
    await setMany(50, () => 0);
    await expectEachFiredOnce(50);
    await eventually(() => expect(done).toHaveLength(50));
    expect(new Set(done).size).toBe(50);
  });

  test('whoever waits for the append of a timer hears when nobody knows whether it was written', async () => {
    const told: string[] = [];
    const handlers: TimersOptions['handlers'] = {
      fire: async (timer, context) => {
        const append = await fireHandlers.fire?.(timer, context);
        const tell = (word: string) => () => void told.push(word);
        return append && { ...append, afterwards: tell('afterwards'), otherwise: tell('otherwise') };
      },
    };
    const append: PostgresEventStore['append'] = async (request) => {
      await store.append(request);
      throw new Error('The answer was lost.');
    };
    await store.append(setTimer('lost', 0));
    start({ handlers, store: { ...store, append } });
    await expectEachFiredOnce(1);
    await eventually(() => expect(told).toEqual(['otherwise']));
  });

  test('fire soon after they are due, also one that is set while all others are far away', async () => {
    await store.append(setTimer('far', 3_600_000));
    start();
    await store.append(setTimer('near', 30));
    await eventually(async () => expect(await fired()).toHaveLength(1));
  });

  test('all fire when a thousand are due at once', async () => {
    await setMany(1_000, () => 0);
    start();
    start({}, await startOtherCopy());
    await expectEachFiredOnce(1_000);
  });

  test('that are late are worked off at the set pace', async () => {
    await setMany(750, () => 0);
    const startedAt = performance.now();
    start({ maxPerSecond: 1_000 });
    await expectEachFiredOnce(750);
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  });

  test('survive a restart', async () => {
    const first = start();
    await first.close();
    await setMany(20, () => 50);
    start();
    await expectEachFiredOnce(20);
  });

  test('survive processes that are killed while they fire', async () => {
    const each = 700;
    for (let round = 0; round < 3; round += 1) {
      const workers = await Promise.all([spawnWorker('timers', url), spawnWorker('timers', url)]);
      toClose.push(...workers.map((worker) => worker.kill));
      const before = (await fired()).length;
      await setMany(each, () => 0, round * each);
      await eventually(async () => expect((await fired()).length).toBeGreaterThan(before + 50));
      await Promise.all(workers.map((worker) => worker.kill()));
    }
    start();
    await expectEachFiredOnce(3 * each);
  });

  test('follow the platform clock when it is moved', async () => {
    start();
    await store.append(setTimer('tomorrow', 86_400_000));
    await store.append(setTimer('next week', 7 * 86_400_000));
    await setClockOffset(store.pool, 86_401);
    await eventually(async () => expect(await streamsFired()).toEqual(['fired-tomorrow']));
  });

  test('do not fire when they are cancelled, and fire once at the new time when they are moved', async () => {
    start();
    await Promise.all(['marker', 'cancelled', 'moved'].map((id) => store.append(setTimer(id, 60_000))));
    await store.append(cancelTimer('cancelled'));
    await store.append(setTimer('moved', 120_000));
    await setClockOffset(store.pool, 61);
    await eventually(async () => expect(await streamsFired()).toEqual(['fired-marker']));
    await setClockOffset(store.pool, 121);
    await expectEachFiredOnce(2);
    expect(await streamsFired()).toEqual(['fired-marker', 'fired-moved']);
  });

  test('do not fire when they are cancelled while their handler runs', async () => {
    let handled = 0;
    start({
      handlers: {
        fire: async (timer, context) => {
          handled += 1;
          await store.append(cancelTimer(timer.id));
          return await fireHandlers.fire?.(timer, context);
        },
      },
    });
    await store.append(setTimer('a', 0));
    await eventually(() => expect(handled).toBe(1));
    await eventually(async () => expect((await store.pool.query('select from es.timers')).rowCount).toBe(0));
    expect(await fired()).toEqual([]);
  });

  test('whose handler fails are tried again, told by their id, and hold up no other', async () => {
    let failures = 0;
    start({
      handlers: {
        fire: (timer, context) => {
          if (timer.id === 'poison' && ++failures <= 3) throw new Error('not yet');
          return fireHandlers.fire?.(timer, context);
        },
      },
    });
    await store.append(setTimer('poison', 0));
    await eventually(() => expect(failures).toBeGreaterThan(0));
    await store.append(setTimer('good', 0));
    await eventually(async () => expect(await streamsFired()).toContain('fired-good'));
    await expectEachFiredOnce(2);
    expect(problems).toMatchObject(
      [1, 2, 3].map((attempt) => ({ kind: 'retrying', attempt, timer: 'poison' })),
    );
  });

  test('say which one they are at, for whoever is to hear that it hangs', async () => {
    const inHand = new WorkInHand();
    const { promise: hang, resolve: goOn } = Promise.withResolvers<undefined>();
    start({ handlers: { fire: () => hang }, inHand });
    await setMany(1, () => 0);
    await eventually(() => expect(inHand.oldest('timers')?.subject).toEqual({ timer: '0' }));
    goOn(undefined);
    await eventually(() => expect(inHand.oldest('timers')).toBeUndefined());
  });

  test('whose handler hangs hold up no other, stay with their process, and are waited for when that ends', async () => {
    const { promise: hang, resolve: goOn } = Promise.withResolvers<undefined>();
    const begun: string[] = [];
    const startAs = (name: string, copy?: PostgresEventStore) =>
      start(
        {
          handlers: {
            async fire(timer, context) {
              begun.push(`${timer.id} by ${name}`);
              if (timer.id === 'hanging') await hang;
              return fireHandlers.fire?.(timer, context);
            },
          },
        },
        copy,
      );
    const one = startAs('one');
    await store.append(setTimer('hanging', 0));
    await eventually(() => expect(begun).toEqual(['hanging by one']));
    await store.append(setTimer('other', 0));
    await eventually(async () => expect(await streamsFired()).toEqual(['fired-other']));
    const another = startAs('another', await startOtherCopy());
    let count = 2;
    await eventually(async () => {
      await store.append(setTimer(String(count++), 0));
      expect(begun.some((each) => each.endsWith('by another'))).toBe(true);
    });
    expect(begun.filter((each) => each.startsWith('hanging'))).toEqual(['hanging by one']);
    const closed = Promise.all([one.close(), another.close()]);
    goOn(undefined);
    await closed;
    expect(await streamsFired()).toContain('fired-hanging');
    start();
    await expectEachFiredOnce(count);
    expect(problems).toEqual([]);
  });

  test('without an effect are only deleted', async () => {
    start({ handlers: { fire: () => undefined } });
    await store.append(setTimer('a', 0));
    await eventually(async () => expect((await store.pool.query('select from es.timers')).rowCount).toBe(0));
    expect(await store.head()).toBe(0);
  });

  test('of kinds without a handler are left for copies that have one', async () => {
    start({ handlers: { other: () => undefined } });
    await store.append(setTimer('a', 0));
    start({}, await startOtherCopy());
    await expectEachFiredOnce(1);
  });
});
