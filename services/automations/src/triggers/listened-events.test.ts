import type { RecordedEvent } from '@parley/event-store';
import type { EventSource } from '@parley/processing';
import { expect, test } from 'vitest';
import { listenedEvents } from './listened-events.ts';

const types = ['LeadCreated', 'CallEnded'];
const log = ['LeadCreated', 'FolderCreated', 'CallEnded', 'LeadCreated'].map(
  (type, index) => ({ type, position: index + 1 }) as RecordedEvent,
);

/** A log that notes what it was asked for. */
function newSource() {
  const asked: (readonly string[])[] = [];
  const source: EventSource = {
    async read({ after, types: wanted = [] }) {
      asked.push(wanted);
      const events = log.filter(({ type, position }) => position > after && wanted.includes(type));
      return { events, head: log.length, reached: log.length };
    },
    subscribe: () => ({ close: () => undefined }),
  };
  return { asked, source };
}

const positionsOf = ({ events }: { readonly events: readonly RecordedEvent[] }) =>
  events.map(({ position }) => position);

test('what nobody listens to is not read, and counts as handled', async () => {
  const { asked, source } = newSource();
  const page = await listenedEvents(source, async () => new Set()).read({ after: 0, limit: 9, types });
  expect(page).toEqual({ events: [], head: 4, reached: 4 });
  expect(asked).toEqual([[]]);
});

test('whoever begins to listen before a page is handled gets its events', async () => {
  const { asked, source } = newSource();
  let listened = new Set<string>();
  const following = listenedEvents(source, async () => listened);
  const read = () => following.read({ after: 0, limit: 9, types });
  listened = new Set(['LeadCreated']);
  expect(positionsOf(await read())).toEqual([1, 4]);
  listened = new Set(types);
  expect(positionsOf(await read())).toEqual([1, 3, 4]);
  listened = new Set(['CallEnded']);
  expect(positionsOf(await read())).toEqual([1, 3, 4]);
  expect(positionsOf(await read())).toEqual([3]);
  expect(asked).toEqual([[], ['LeadCreated'], ['LeadCreated'], types, types, ['CallEnded']]);
});
