import { createInMemoryEventStore, type EventStore } from '@parley/event-store';
import { expect, test } from 'vitest';
import { readEventsPage } from './events-page.ts';

const metadata = {
  correlationId: 'request-1',
  causationId: 'test',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

/** A log of events with texts of these lengths, and how much of it was read. */
async function logOf(lengths: readonly number[]) {
  const store = createInMemoryEventStore();
  await store.append({
    streamId: 'note-1',
    category: 'note',
    accountId: 1,
    events: lengths.map((length) => ({ type: 'NoteTaken', data: { text: 'x'.repeat(length) } })),
    expectedVersion: 0,
    metadata,
  });
  const reads: number[] = [];
  const readAll: EventStore['readAll'] = async (options) => {
    const events = await store.readAll(options);
    reads.push(events.length);
    return events;
  };
  return { log: { readAll }, reads, upTo: lengths.length };
}
const times = (count: number, length: number) => Array.from({ length: count }, () => length);
const positionsOf = (events: readonly string[]): number[] => events.map((text) => JSON.parse(text).position);

test('pages join to the whole log, whatever the size of its events, and each but the largest fits into a message', async () => {
  const lengths = [10, 400_000, ...times(40, 20_000), ...times(700, 5), 1_000_000, ...times(30, 100_000), 1];
  const { log, upTo } = await logOf(lengths);
  const positions: number[] = [];
  for (let after = 0; after < upTo; ) {
    const page = await readEventsPage(log, { after, upTo, limit: 500 });
    positions.push(...positionsOf(page.events));
    expect(page.events.length).toBeLessThanOrEqual(500);
    expect(page.events.length === 1 || page.events.join().length < 300_000).toBe(true);
    expect(page.reached).toBe(positions.at(-1));
    after = page.reached;
  }
  expect(positions).toEqual(lengths.map((_, index) => index + 1));
});

test('a page of large events reads few that it does not hold, one of small ones is read in a few steps', async () => {
  const first = { after: 0, upTo: 1_000, limit: 500 };
  const large = await logOf(times(100, 250_000));
  expect((await readEventsPage(large.log, first)).events).toHaveLength(1);
  expect(large.reads).toEqual([16]);
  const small = await logOf(times(500, 10));
  expect((await readEventsPage(small.log, first)).events).toHaveLength(500);
  expect(small.reads).toEqual([16, 64, 256, 164]);
  const mixed = await logOf([...times(16, 10), ...times(100, 250_000)]);
  expect((await readEventsPage(mixed.log, first)).events).toHaveLength(17);
  expect(mixed.reads).toEqual([16, 64]);
});

test('a page reaches as far as it was looked for where nothing follows, and only there', async () => {
  const { log } = await logOf(times(20, 1));
  const reached = async (after: number, upTo: number, limit: number) =>
    (await readEventsPage(log, { after, upTo, limit })).reached;
  expect(await reached(0, 25, 21)).toBe(25);
  expect(await reached(0, 25, 20)).toBe(20);
  expect(await reached(0, 10, 15)).toBe(10);
  expect(await reached(5, 25, 15)).toBe(20);
  expect(await readEventsPage(log, { after: 20, upTo: 20, limit: 5 })).toEqual({ events: [], reached: 20 });
  expect(await readEventsPage(log, { after: 30, upTo: 20, limit: 5 })).toEqual({ events: [], reached: 30 });
});
