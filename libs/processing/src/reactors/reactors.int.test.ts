import type { PostgresEventStore, RecordedEvent } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { counted, fillLog, toCounter } from '../fixtures/counters.fixture.ts';
import { countedPositions, echoedPositions, echoReactor } from '../fixtures/echo.fixture.ts';
import { startCopy } from '../fixtures/test-service.fixture.ts';
import type { ProcessorProblem } from '../problem.ts';
import type { Reactor } from './reactor.ts';
import { startReactors } from './start-reactors.ts';

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

async function run(reactors: readonly Reactor[], copy = store) {
  const running = startReactors({
    store: copy,
    pool: copy.pool,
    reactors,
    onProblem: (problem) => problems.push(problem),
  });
  toClose.push(() => running.close());
  return running;
}

/** Echoes every event but one, which it fails for. */
function pickyReactor({
  maxAttempts,
  position,
  error,
}: {
  maxAttempts: number;
  position: number;
  error: Error;
}) {
  const echo = echoReactor();
  return echoReactor({
    maxAttempts,
    react: (event, context) => {
      if (event.position === position) throw error;
      return echo.react(event, context);
    },
  });
}

const appendCounted = async (count: number) => {
  await Promise.all(
    Array.from({ length: count }, (_, n) => store.append(toCounter(String(n % 9), counted()))),
  );
};
const everyEventIsEchoedOnceInOrder = () =>
  eventually(async () => expect(await echoedPositions(store)).toEqual(await countedPositions(store)));

describe('a reactor', () => {
  test('answers every event it handles once and in order, old ones and new ones', async () => {
    await fillLog(store, 300, 5);
    await run([echoReactor()]);
    await appendCounted(50);
    await everyEventIsEchoedOnceInOrder();
    expect(problems).toEqual([]);
  });

  test('leaves what was imported alone, unless it sees to what no import brings', async () => {
    const { metadata, ...about } = toCounter('1', counted());
    await store.append({ ...about, metadata: { ...metadata, imported: true } });
    await appendCounted(1);
    await run([echoReactor(), echoReactor({ name: 'thorough', actsOnImported: true })]);
    await eventually(async () => expect((await echoedPositions(store)).toSorted()).toEqual([1, 2, 2]));
  });

  test('goes on after what was handled when it is started again', async () => {
    await appendCounted(20);
    const first = await run([echoReactor()]);
    await everyEventIsEchoedOnceInOrder();
    await first.close();
    await appendCounted(20);
    await run([echoReactor()]);
    await everyEventIsEchoedOnceInOrder();
  });

  test('sets a poison event aside as a dead letter and goes on', async () => {
    await appendCounted(3);
    await run([pickyReactor({ maxAttempts: 2, position: 2, error: new Error('I cannot') })]);
    await eventually(async () => expect(await echoedPositions(store)).toEqual([1, 3]));
    const { rows } = await store.pool.query(
      'select processor, position, attempts, error from es.dead_letters',
    );
    expect(rows).toEqual([
      {
        processor: 'reactor:echo',
        position: 2,
        attempts: 2,
        error: expect.stringContaining('I cannot'),
      },
    ]);
    expect(problems.map(({ kind }) => kind)).toEqual(['retrying', 'dead-letter']);
  });

  test('sets a poison event aside whatever characters its failure has, and goes on', async () => {
    await appendCounted(2);
    // As `JSON.parse` says of an answer that is no JSON.
    const error = new SyntaxError('Unexpected token \0, "\0\ud800" is not valid JSON');
    await run([pickyReactor({ maxAttempts: 1, position: 1, error })]);
    await eventually(async () => expect(await echoedPositions(store)).toEqual([2]));
    const { rows } = await store.pool.query('select position, error from es.dead_letters');
    expect(rows).toEqual([{ position: 1, error: expect.stringContaining('Unexpected token \ufffd') }]);
  });

  test('waits for an outage to end, however long, and sets nothing aside', async () => {
    await appendCounted(1);
    const echo = echoReactor();
    let calls = 0;
    const patient = echoReactor({
      maxAttempts: 1,
      react: (event, context) => {
        calls += 1;
        if (calls <= 3) throw Object.assign(new Error('nobody listens'), { name: 'ServiceUnavailable' });
        return echo.react(event, context);
      },
    });
    await run([patient]);
    await everyEventIsEchoedOnceInOrder();
    expect(problems.map(({ kind }) => kind)).toEqual(['retrying', 'retrying', 'retrying']);
  });

  test('waits for a stream that others write without pause, however long, and sets nothing aside', async () => {
    await appendCounted(1);
    const echo = echoReactor();
    const late = echoReactor({
      maxAttempts: 1,
      async react(event, context) {
        const append = await echo.react(event, context);
        return append && problems.length === 0 ? { ...append, expectedVersion: 9 } : append;
      },
    });
    await run([late]);
    await everyEventIsEchoedOnceInOrder();
    expect(problems).toMatchObject([{ kind: 'retrying', error: { name: 'Contended' } }]);
  });

  describe('with lanes', () => {
    const laneOf = ({ streamId }: RecordedEvent) => streamId;
    const inLanes = (before: (event: RecordedEvent, signal: AbortSignal) => Promise<void>) => {
      const echo = echoReactor();
      return echoReactor({
        laneOf,
        maxAttempts: 2,
        async react(event, context) {
          await before(event, context.signal);
          return echo.react(event, context);
        },
      });
    };
    const appendOne = (counter: string) => store.append(toCounter(counter, counted()));
    const savedPosition = async () => {
      const { rows } = await store.pool.query(
        `select position from es.checkpoints where processor = 'reactor:echo'`,
      );
      return rows[0]?.position;
    };

    test('reacts to what comes behind an event that takes long, but for its own lane', async () => {
      const slow = Promise.withResolvers<void>();
      for (const counter of ['slow', 'quick', 'slow', 'quick']) await appendOne(counter);
      await run([inLanes(({ position }) => (position === 1 ? slow.promise : Promise.resolve()))]);
      await eventually(async () => expect(await echoedPositions(store)).toEqual([2, 4]));
      await appendOne('quick');
      const newest = (await countedPositions(store)).at(-1);
      await eventually(async () => expect(await echoedPositions(store)).toEqual([2, 4, newest]));
      expect(await savedPosition()).toBe(0);
      slow.resolve();
      await eventually(async () => expect(await echoedPositions(store)).toEqual([2, 4, newest, 1, 3]));
      await eventually(async () => expect(await savedPosition()).toBeGreaterThanOrEqual(newest ?? 0));
      expect(problems).toEqual([]);
    });

    test('goes on with what was not done when it is started again, and does nothing twice', async () => {
      for (const counter of ['slow', 'quick', 'slow']) await appendOne(counter);
      const untilStopped = ({ position }: RecordedEvent, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          if (position !== 1) resolve();
          else signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      const first = await run([inLanes(untilStopped)]);
      await eventually(async () => expect(await echoedPositions(store)).toEqual([2]));
      await first.close();
      expect(await savedPosition()).toBe(0);
      await run([inLanes(async () => undefined)]);
      await eventually(async () => expect(await echoedPositions(store)).toEqual([2, 1, 3]));
    });

    test('sets a poison event aside, and its lane goes on', async () => {
      for (const counter of ['slow', 'quick', 'slow']) await appendOne(counter);
      const picky = inLanes(async ({ position }) => {
        if (position === 1) throw new Error('I cannot');
      });
      await run([picky]);
      await eventually(async () => expect(await echoedPositions(store)).toEqual([2, 3]));
      const { rows } = await store.pool.query('select position from es.dead_letters');
      expect(rows).toEqual([{ position: 1 }]);
      await eventually(async () => expect(await savedPosition()).toBeGreaterThanOrEqual(3));
    });
  });

  test('is told of the events of a page before they come one by one, and of each only once', async () => {
    await appendCounted(20);
    const told: number[] = [];
    const echo = echoReactor();
    const prepared = echoReactor({
      prepare: async (events) => {
        told.push(...events.map(({ position }) => position));
      },
      react(event, context) {
        if (!told.includes(event.position)) throw new Error('not prepared');
        return echo.react(event, context);
      },
    });
    await run([prepared]);
    await appendCounted(20);
    await everyEventIsEchoedOnceInOrder();
    expect(told).toEqual(await countedPositions(store));
    expect(problems).toEqual([]);
  });

  test('goes on without what could not be prepared, and says so', async () => {
    await appendCounted(3);
    const prepare = () => Promise.reject(new Error('not now'));
    await run([echoReactor({ prepare })]);
    await everyEventIsEchoedOnceInOrder();
    expect(problems[0]).toMatchObject({
      kind: 'retrying',
      error: expect.objectContaining({ message: 'not now' }),
    });
  });

  test('gives the same effect id at every attempt and for every label another', async () => {
    await appendCounted(1);
    const seen: string[][] = [];
    const reactor = echoReactor({
      react: (_event, { effectId, attempt }) => {
        seen.push([effectId(), effectId('first'), effectId('second')]);
        if (attempt === 1) throw new Error('once more');
        return undefined;
      },
    });
    await run([reactor]);
    await eventually(() => expect(seen).toHaveLength(2));
    expect(seen[0]).toEqual(seen[1]);
    expect(new Set(seen[0]).size).toBe(3);
  });

  test('runs a lost race for a stream again', async () => {
    await appendCounted(30);
    const versioned = echoReactor({
      react: async ({ position }, { metadata }) => {
        const history = await store.readStream('echo-1');
        return {
          streamId: 'echo-1',
          category: 'echo',
          accountId: null,
          events: [{ type: 'Echoed', data: { of: position } }],
          expectedVersion: history.length,
          metadata,
        };
      },
    });
    await run([versioned, { ...versioned, name: 'echo-2', checkpoint: 'reactor:echo-2' }]);
    await eventually(async () => expect(await echoedPositions(store)).toHaveLength(60));
    expect(problems.filter(({ kind }) => kind === 'dead-letter')).toEqual([]);
  });
});
