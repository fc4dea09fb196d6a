import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { golden, recorded, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { lost, platform } from '../../voice/inbound-lines.fixture.ts';
import { bought } from '../bought.fixture.ts';
import { lineOf, numberCategory, numberStream, phoneNumber } from '../number.ts';
import { openLines } from './open-lines.ts';

const released = golden<NumberEvent>(
  'NumberReleaseRequested.v1',
  'NumberSubscriptionCancelled.v1',
  'NumberReturned.v1',
  'NumberReleased.v1',
);

const streamId = numberStream(7);
/** No SIP trunk has the number. */
const nobody = async (): Promise<{ id: number; account_id: number }[]> => [];

function setUp() {
  const store = createInMemoryEventStore();
  const aggregates = new Aggregates(store);
  const append = async (events: readonly NumberEvent[]) => {
    const { version } = await aggregates.load(streamId, phoneNumber);
    const about = { streamId, category: numberCategory, accountId: 3, metadata: testMetadata };
    await store.append({ ...about, events, expectedVersion: version });
  };
  /** To the last event of a type. */
  const react = async (
    lines: Parameters<typeof openLines>[0]['lines'],
    type = 'NumberPurchased',
    inboundTrunks = nobody,
  ) => {
    const [event] = await store.readAll({ after: 0, limit: 1, types: [type] });
    if (!event) throw new Error(`There is no ${type}.`);
    const { signal } = new AbortController();
    const context = { store, metadata: testMetadata, effectId: () => '', attempt: 1, signal };
    return openLines({ aggregates, lines, inboundTrunks }).react(event, context);
  };
  return { aggregates, append, react };
}

test('a number that was bought without a line gets one, and no second', async () => {
  const { aggregates, append, react } = setUp();
  const { lines, trunks } = platform();
  await append(bought);
  await react(lines);
  await react(lines);
  const { state } = await aggregates.load(streamId, phoneNumber);
  expect([...trunks.values()]).toEqual([state && lineOf(state)]);
});

test('SIP trunks that calls to it came in by look who has them now', async () => {
  const { append, react } = setUp();
  await append(bought);
  const { lines } = platform();
  const trunks = [
    { id: 8, account_id: 3 },
    { id: 9, account_id: 4 },
  ];
  const outcome = await react(lines, 'NumberPurchased', async () => trunks);
  const payload = { trunk_id: 9, account_id: 4 };
  expect(outcome).toMatchObject({
    events: [],
    timers: [{ id: 'sip-trunk-check-8-calls' }, { id: 'sip-trunk-check-9-calls', payload }],
  });
});

test.each([
  ['was given back', released],
  ['was not bought after all', golden<NumberEvent>('NumberPurchaseFailed.v1', 'NumberPurchaseUndone.v1')],
])('where it %s they look as well', async (_, ending) => {
  const { append, react } = setUp();
  await append([...bought.slice(0, ending === released ? 5 : 4), ...ending]);
  const outcome = await react(platform().lines, ending.at(-1)?.type, async () => [{ id: 8, account_id: 3 }]);
  expect(outcome).toMatchObject({ events: [], timers: [{ id: 'sip-trunk-check-8-calls' }] });
  expect(openLines({ ...setUp(), lines: platform().lines, inboundTrunks: nobody }).handles).toContain(
    ending.at(-1)?.type,
  );
});

test('a number that is given back gets none', async () => {
  const { append, react } = setUp();
  const { lines, trunks } = platform();
  await append([...bought, ...released.slice(0, 1)]);
  await react(lines);
  expect(trunks.size).toBe(0);
});

test('a line that was opened while its number was given back is closed, also when that fails at first', async () => {
  const { append, react } = setUp();
  const { lines, trunks } = platform();
  await append(bought);
  const failing = {
    async open(line: Parameters<typeof lines.open>[0]) {
      await append(released);
      return lines.open(line);
    },
    close: async () => lost,
  };
  await expect(react(failing)).rejects.toThrow(ServiceUnavailable);
  expect(trunks.size).toBe(1);
  await react(lines);
  expect(trunks.size).toBe(0);
});

test('the line of a number whose release is heard of later, as in an import, is closed then', async () => {
  const { append, react } = setUp();
  const { lines, trunks } = platform();
  await append(bought);
  await react(lines);
  await append(released);
  await react(lines, 'NumberReleased');
  expect(trunks.size).toBe(0);
});

test('the lines of one account wait for those of no other', () => {
  const { aggregates } = setUp();
  const { laneOf } = openLines({ aggregates, lines: platform().lines, inboundTrunks: nobody });
  const event = recorded({ type: 'NumberPurchased', data: {} });
  expect(new Set([3, 3, 4].map((accountId) => laneOf?.({ ...event, accountId }))).size).toBe(2);
});

test('while the voice platform is away, it is waited for', async () => {
  const { append, react } = setUp();
  await append(bought);
  await expect(react(platform({ isReady: false }).lines)).rejects.toThrow(ServiceUnavailable);
});
