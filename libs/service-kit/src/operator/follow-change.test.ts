import { createInMemoryEventStore } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { defineResource, numberedStream } from '../resources/resource.ts';
import { followChange } from './follow-change.ts';

type Painted = {
  readonly type: 'Painted';
  readonly data: { readonly color?: string; readonly size?: number };
};

const picture = defineResource<Painted['data'], Painted>({
  name: 'picture',
  streamOf: numberedStream('picture'),
  fold: { initialState: {}, evolve: (state, { data }) => ({ ...state, ...data }) },
});
const streamId = 'picture-1';
const total = 2_000;

/** A picture that gets another size all the time, another color with every hundredth change, and what was read of it. */
async function longStream() {
  const store = createInMemoryEventStore();
  const events = Array.from({ length: total }, (_, n): Painted => {
    const data = n % 100 === 0 ? { color: `color ${n}`, size: n } : { size: n };
    return { type: 'Painted', data };
  });
  const expectedVersion = 0;
  await store.append({
    ...{ streamId, category: 'picture', accountId: 1, events, expectedVersion, metadata: testMetadata },
  });
  const recorded = await store.readStream(streamId);
  const readStream = store.readStream.bind(store);
  let most = 0;
  store.readStream = async (...of) => {
    const read = await readStream(...of);
    most = Math.max(most, read.length);
    return read;
  };
  return { store, idOf: (n: number) => recorded[n]?.eventId ?? '', mostAtOnce: () => most };
}

test('a change of a long history is found with what came after it, and no more than a part is in memory', async () => {
  const { store, idOf, mostAtOnce } = await longStream();
  const found = await followChange(store, { resource: picture, streamId }, idOf(700));
  expect(found).toMatchObject({
    change: {
      before: { color: 'color 600', size: 699 },
      after: { color: 'color 700', size: 700 },
      event: { eventId: idOf(700) },
    },
    now: { color: 'color 1900', size: 1_999 },
  });
  expect(await found?.newestLater(['color'])).toMatchObject({ eventId: idOf(1_900) });
  expect(await found?.newestLater(['color', 'size'])).toMatchObject({ eventId: idOf(1_999) });
  expect(await found?.newestLater(['frame'])).toBeUndefined();
  expect(mostAtOnce()).toBe(500);
});

test('the last change has none after it, and an event of another resource is none of its changes', async () => {
  const { store, idOf } = await longStream();
  const last = await followChange(store, { resource: picture, streamId }, idOf(1_999));
  expect(last?.change.shown).toEqual(last?.now);
  expect(await last?.newestLater(['size'])).toBeUndefined();
  expect(await followChange(store, { resource: picture, streamId }, 'another')).toBeUndefined();
});
