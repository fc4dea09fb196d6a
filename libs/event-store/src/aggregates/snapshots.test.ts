import { beforeEach, expect, test } from 'vitest';
import { add, type Count, type Counted, counting, metadata, newCounter } from '../counter.fixture.ts';
import type { EventStore } from '../port.ts';
import { Aggregates } from './aggregates.ts';
import type { Fold } from './decider.ts';

const length = 12_000;
const sumUpTo = (version: number) => (version * (version + 1)) / 2;

const kept: Fold<Count, Counted> = {
  ...counting,
  snapshots: { name: 'count-1', pack: ({ sum }) => ({ sum }), unpack: ({ sum }) => ({ sum: Number(sum) }) },
};

let counter: ReturnType<typeof newCounter>;
let store: EventStore;
let read: number;
let erase: () => void;
beforeEach(async () => {
  counter = newCounter();
  ({ store } = counter);
  const events = Array.from({ length }, (_, n): Counted => ({ type: 'Counted', data: { by: n + 1 } }));
  const stream = { streamId: counter.streamId, category: 'thing', accountId: 7, metadata };
  await store.append({ ...stream, events, expectedVersion: 0 });
  const readStream = store.readStream.bind(store);
  store.readStream = async (...of) => {
    const found = await readStream(...of);
    read += found.length;
    return found;
  };
  store.onErased = (forget) => {
    erase = forget;
  };
  read = 0;
});

/** As a process that has just started folds it. */
async function fresh(fold = kept) {
  read = 0;
  const { state, version } = await new Aggregates(store).load(counter.streamId, fold);
  return { sum: state.sum, version, read };
}

test('a long stream is read from its last snapshot on by every process but the first', async () => {
  expect(await fresh()).toEqual({ sum: sumUpTo(length), version: length, read: length });
  expect(await fresh()).toEqual({ sum: sumUpTo(length), version: length, read: length - 10_000 });
});

test('what commands append is kept on the way', async () => {
  const aggregates = new Aggregates(store);
  await fresh();
  for (let n = 0; n < 3_001; n += 1)
    await counter.execute(add(1), { fold: kept, inRuns: n % 2 === 0 }, aggregates);
  expect(await fresh()).toEqual({ sum: sumUpTo(length) + 3_001, version: 15_001, read: 1 });
});

test('how it was at a moment is the same with snapshots and without', async () => {
  await fresh();
  const aggregates = new Aggregates(store);
  for (const version of [1, 4_999, 5_000, 5_001, 9_999, 10_000, 11_999]) {
    for (const moment of [{ version }, { position: version }]) {
      const at = await aggregates.loadAt(counter.streamId, kept, moment);
      expect(at).toMatchObject({ version, position: version, state: { sum: sumUpTo(version) } });
    }
  }
});

test('a form of another name is not read', async () => {
  await fresh();
  const other = { ...kept, snapshots: { ...kept.snapshots, name: 'count-2' } } as typeof kept;
  expect(await fresh(other)).toEqual({ sum: sumUpTo(length), version: length, read: length });
});

test('one that cannot be read is passed over, and one that cannot be made fails nobody', async () => {
  await fresh();
  const of = { accountId: 7, position: 1, recordedAt: '2026-11-21T10:00:00.000000Z' };
  const careful: typeof kept = {
    ...kept,
    snapshots: {
      name: 'count-1',
      pack: () => {
        throw new Error('It cannot be told.');
      },
      unpack({ sum }) {
        if (typeof sum !== 'number') throw new Error('There is no sum.');
        return { sum };
      },
    },
  };
  await store.keepSnapshot(counter.streamId, 'count-1', { ...of, version: 10_001, state: { total: 5 } });
  expect(await fresh(careful)).toEqual({ sum: sumUpTo(length), version: length, read: length - 10_000 });
  await store.keepSnapshot(counter.streamId, 'count-1', { ...of, version: 10_000, state: { total: 5 } });
  await store.keepSnapshot(counter.streamId, 'count-1', { ...of, version: 5_000, state: { total: 5 } });
  expect(await fresh(careful)).toEqual({ sum: sumUpTo(length), version: length, read: length });
});

test('what was read before people were erased is not kept', async () => {
  const aggregates = new Aggregates(store);
  const loading = aggregates.load(counter.streamId, kept);
  erase();
  await loading;
  expect((await fresh()).read).toBe(length);
});
