import type { RecordedEvent } from '@parley/event-store';
import type { EventSource } from '@parley/processing';
import { expect, test } from 'vitest';
import { type Listened, listenedEvents } from './listened-events.ts';

const types = ['LeadCreated', 'CallEnded'];
const log = (
  [
    ['LeadCreated', 7],
    ['FolderCreated', 7],
    ['CallEnded', 7],
    ['LeadCreated', 8],
  ] as const
).map(([type, accountId], index) => ({ type, accountId, position: index + 1 }) as RecordedEvent);

/** A log that notes what it was asked for. */
function newSource() {
  const asked: {
    readonly types: readonly string[];
    readonly accountIds: readonly number[] | undefined;
    readonly positions?: readonly number[];
  }[] = [];
  const source: EventSource = {
    service: 'telephony',
    async read({ after, types: wanted = [], accountIds, positions }) {
      asked.push({ types: wanted, accountIds, ...(positions && { positions }) });
      const events = log.filter(
        ({ accountId, type, position }) =>
          position > after &&
          wanted.includes(type) &&
          (accountIds === undefined || (accountId !== null && accountIds.includes(accountId))),
      );
      return { events, head: log.length, reached: log.length };
    },
    subscribe: () => ({ close: () => undefined }),
  };
  return { asked, source };
}

const listening = (wanted: readonly string[], accountIds?: readonly number[]): Listened => ({
  types: new Set(wanted),
  accountIds: accountIds && new Set(accountIds),
});

const positionsOf = ({ events }: { readonly events: readonly RecordedEvent[] }) =>
  events.map(({ position }) => position);

test('what nobody listens to is not read, and counts as handled', async () => {
  const { asked, source } = newSource();
  const following = listenedEvents(source, async () => listening([], []));
  expect(following.service).toBe('telephony');
  expect(await following.read({ after: 0, limit: 9, types })).toEqual({ events: [], head: 4, reached: 4 });
  expect(asked).toEqual([{ types: [], accountIds: [] }]);
});

test('an event at a known position is read, whether somebody listens to it or not', async () => {
  const { asked, source } = newSource();
  const following = listenedEvents(source, () => Promise.reject(new Error('Asked.')));
  await following.read({ after: 1, limit: 1, positions: [2] });
  expect(asked).toEqual([{ types: [], accountIds: undefined, positions: [2] }]);
});

test('nobody is asked who listens while nothing is new', async () => {
  const { asked, source } = newSource();
  const following = listenedEvents(source, () => Promise.reject(new Error('Asked.')));
  expect(positionsOf(await following.read({ after: 4, limit: 9, types }))).toEqual([]);
  expect(asked).toHaveLength(1);
});

test('whoever begins to listen before a page is handled gets its events', async () => {
  const { asked, source } = newSource();
  let listened = listening([], []);
  const following = listenedEvents(source, async () => listened);
  const read = async () => positionsOf(await following.read({ after: 0, limit: 9, types }));
  listened = listening(['LeadCreated'], [7]);
  expect(await read()).toEqual([1]);
  listened = listening(types, [7]);
  expect(await read()).toEqual([1, 3]);
  listened = listening(types, [7, 8]);
  expect(await read()).toEqual([1, 3, 4]);
  listened = listening(['CallEnded'], [7]);
  expect(await read()).toEqual([1, 3, 4]);
  expect(await read()).toEqual([3]);
  expect(asked).toEqual([
    { types: [], accountIds: [] },
    { types: ['LeadCreated'], accountIds: [7] },
    { types: ['LeadCreated'], accountIds: [7] },
    { types, accountIds: [7] },
    { types, accountIds: [7] },
    { types, accountIds: [7, 8] },
    { types, accountIds: [7, 8] },
    { types: ['CallEnded'], accountIds: [7] },
  ]);
});

test('where too many listen to be named, the events of all accounts are read', async () => {
  const { asked, source } = newSource();
  let listened = listening(types);
  const following = listenedEvents(source, async () => listened);
  const read = async () => positionsOf(await following.read({ after: 0, limit: 9, types }));
  expect(await read()).toEqual([1, 3, 4]);
  listened = listening(types, [8]);
  expect(await read()).toEqual([1, 3, 4]);
  expect(await read()).toEqual([4]);
  listened = listening(types);
  expect(await read()).toEqual([1, 3, 4]);
  expect(asked.map(({ accountIds }) => accountIds)).toEqual([[], undefined, undefined, [8], [8], undefined]);
});
