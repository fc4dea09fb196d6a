import { expect, test } from 'vitest';
import type { EventPage } from '../event-source.ts';
import { countersProjection } from '../fixtures/counters.fixture.ts';
import { recordedEvent } from '../fixtures/recorded-event.fixture.ts';
import { readLogOf } from './following-projection.ts';

/** Reads two events after 0, up to 3, of a service that answers so. */
const read = (page: EventPage) => {
  const source = { read: async () => page, subscribe: () => ({ close: () => undefined }) };
  return readLogOf(source, countersProjection())({ after: 0, upTo: 3, limit: 2 });
};
const [first, third, fourth] = [recordedEvent(1), recordedEvent(3), recordedEvent(4)];

test("another service's log is read as far as it is wanted", async () => {
  const [both, one] = [[first, third], [first]];
  expect(await read({ events: both, head: 9, reached: 3 })).toEqual({ events: both, reached: 3 });
  expect(await read({ events: [first, fourth], head: 9, reached: 4 })).toEqual({ events: one, reached: 3 });
  expect(await read({ events: one, head: 3, reached: 3 })).toEqual({ events: one, reached: 3 });
  // Cut to what a message holds: the rest is the next page's.
  expect(await read({ events: one, head: 9, reached: 2 })).toEqual({ events: one, reached: 2 });
});

test('a service that is away has no page, not even one that looks like the end of its log', async () => {
  await expect(read({ events: [], head: 0, reached: 0 })).rejects.toThrow('3');
  await expect(read({ events: [first], head: 1, reached: 1 })).rejects.toThrow('3');
});
