import type { PostgresEventStore } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownLog } from '../event-source.ts';
import { counted, toCounter } from '../fixtures/counters.fixture.ts';
import { echoedPositions, echoReactor } from '../fixtures/echo.fixture.ts';
import { startCopy } from '../fixtures/test-service.fixture.ts';
import { countDeadLetters, discardDeadLetter, listDeadLetters, retryDeadLetter } from './dead-letters.ts';
import { byAccount, type Reactor, type ReactorDefinition } from './reactor.ts';
import { type RunningReactors, startReactors } from './start-reactors.ts';

let drop: () => Promise<void>;
let store: PostgresEventStore;
let running: RunningReactors | undefined;

beforeEach(async () => {
  const database = await createTestDatabase();
  ({ drop } = database);
  store = await startCopy(database.url);
});
afterEach(async () => {
  await running?.close();
  await store.close();
  await drop();
});

/** Echoes all but the second event, until it is mended. */
function brokenReactor(options: Partial<ReactorDefinition> = {}) {
  const echo = echoReactor();
  const broken = { isMended: false, error: new Error('I cannot') as Error };
  const reactor = echoReactor({
    maxAttempts: 1,
    react(event, context) {
      if (event.position === 2 && !broken.isMended) throw broken.error;
      return echo.react(event, context);
    },
    ...options,
  });
  return { broken, reactor };
}

async function givenUp(reactor: Reactor): Promise<number> {
  for (let n = 1; n <= 3; n += 1) await store.append(toCounter(String(n), counted()));
  running = startReactors({ store, pool: store.pool, reactors: [reactor] });
  await eventually(async () => expect((await echoedPositions(store)).toSorted()).toEqual([1, 3]));
  const [letter] = await listDeadLetters(store.pool, { after: 0, limit: 10 });
  return letter?.id ?? 0;
}

/** The letter that all are about, as a service's log tells of it. */
const named = { processor: 'reactor:echo', position: 2, eventId: expect.any(String) };
const done = { kind: 'done', letter: expect.objectContaining(named) };

const retry = (
  reactors: readonly Reactor[],
  id: number,
  signal: AbortSignal = new AbortController().signal,
) => retryDeadLetter({ reactors, sql: store.pool, store, signal }, id);

test('tell what was given up, and why', async () => {
  const { reactor } = brokenReactor();
  const id = await givenUp(reactor);
  expect(await listDeadLetters(store.pool, { after: 0, limit: 10 })).toEqual([
    {
      id,
      processor: 'reactor:echo',
      position: 2,
      eventId: expect.any(String),
      event: { type: 'Counted', streamId: expect.stringContaining('counter'), accountId: expect.anything() },
      error: expect.stringContaining('I cannot'),
      attempts: 1,
      givenUpAt: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ]);
  expect(await listDeadLetters(store.pool, { after: id, limit: 10 })).toEqual([]);
  expect(await countDeadLetters(store.pool)).toBe(1);
});

test.each([
  ['one after the other', {}],
  ['in lanes', { laneOf: byAccount }],
])(
  'are reacted to again, once, by a reactor that takes events %s, and the reactor goes on',
  async (_, options) => {
    const { broken, reactor } = brokenReactor(options);
    const id = await givenUp(reactor);
    broken.isMended = true;
    expect(await Promise.all([retry([reactor], id), retry([reactor], id)])).toContainEqual(done);
    expect(await retry([reactor], id)).toBeNull();
    expect(await countDeadLetters(store.pool)).toBe(0);
    await store.append(toCounter('4', counted()));
    await eventually(async () => expect(await echoedPositions(store)).toHaveLength(4));
    expect((await echoedPositions(store)).filter((position) => position === 2)).toHaveLength(1);
  },
);

test('stay, with what went wrong this time, when that fails again', async () => {
  const { broken, reactor } = brokenReactor();
  const id = await givenUp(reactor);
  broken.error = new Error('I still cannot');
  const failed = { ...done, kind: 'failed', error: expect.stringContaining('I still cannot') };
  expect(await retry([reactor], id)).toEqual(failed);
  expect(await listDeadLetters(store.pool, { after: 0, limit: 10 })).toMatchObject([
    { id, attempts: 2, error: expect.stringContaining('I still cannot') },
  ]);
});

test('stay as they are during an outage', async () => {
  const { broken, reactor } = brokenReactor();
  const id = await givenUp(reactor);
  broken.error = Object.assign(new Error('nobody listens'), { name: 'ServiceUnavailable' });
  await expect(retry([reactor], id)).rejects.toThrow('nobody listens');
  expect(await listDeadLetters(store.pool, { after: 0, limit: 10 })).toMatchObject([{ id, attempts: 1 }]);
});

test('stay as they are while nobody answers for the log that their event is in', async () => {
  const { broken, reactor } = brokenReactor({ source: ownLog(store) });
  const id = await givenUp(reactor);
  broken.isMended = true;
  const before = await listDeadLetters(store.pool, { after: 0, limit: 10 });
  const silent = { ...ownLog(store), read: async () => ({ events: [], head: 1, reached: 1 }) };
  await expect(retry([{ ...reactor, source: silent }], id)).rejects.toMatchObject({
    name: 'ServiceUnavailable',
  });
  expect(await listDeadLetters(store.pool, { after: 0, limit: 10 })).toEqual(before);
  expect(await retry([reactor], id)).toEqual(done);
});

test('stay as they are when what is done about them is broken off, as when the process ends', async () => {
  const { reactor } = brokenReactor();
  const id = await givenUp(reactor);
  const before = await listDeadLetters(store.pool, { after: 0, limit: 10 });
  const ending = new AbortController();
  const react: Reactor['react'] = (_event, { signal }) => {
    ending.abort();
    throw new Error(`Stopped half way: ${signal.aborted}`);
  };
  await expect(retry([{ ...reactor, react }], id, ending.signal)).rejects.toThrow('Stopped half way: true');
  expect(await listDeadLetters(store.pool, { after: 0, limit: 10 })).toEqual(before);
});

test('of a reactor that is no more can be discarded only', async () => {
  const { reactor } = brokenReactor();
  const id = await givenUp(reactor);
  expect(await retry([echoReactor({ name: 'another' })], id)).toEqual({
    ...done,
    kind: 'failed',
    error: expect.stringContaining('There is no reactor:echo in this release.'),
  });
  expect(await discardDeadLetter(store.pool, id)).toEqual(named);
  expect(await discardDeadLetter(store.pool, id)).toBeUndefined();
});
