import { Aggregates, createInMemoryEventStore, type EventStore, type Fold } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { defineResource, numberedStream } from '../resources/resource.ts';
import { FoldSnapshots } from './fold-snapshots.ts';
import { readHistory } from './history-page.ts';

type Counted = { readonly type: 'Counted' | 'Marked'; readonly data: { readonly by: number } };

const counter = defineResource<{ readonly sum: number }, Counted>({
  name: 'counter',
  streamOf: numberedStream('counter'),
  fold: { initialState: { sum: 0 }, evolve: ({ sum }, { data }) => ({ sum: sum + data.by }) },
});
const streamId = 'counter-1';
const total = 2_345;

/** A long stream, and how much of it was in memory at a time. */
async function longStream(length = total) {
  const store = createInMemoryEventStore();
  const metadata = (n: number) => ({
    correlationId: `request-${n}`,
    causationId: 'test',
    commandId: null,
    actor: { kind: 'api_key', id: String(n % 7) } as const,
  });
  for (let n = 1; n <= length; n += 1)
    await store.append({
      streamId,
      category: 'counter',
      accountId: 1,
      events: [{ type: n % 10 ? 'Counted' : 'Marked', data: { by: n } }],
      expectedVersion: n - 1,
      metadata: metadata(n),
    });
  let most = 0;
  let read = 0;
  const readStream: EventStore['readStream'] = async (id, options) => {
    const events = await store.readStream(id, options);
    most = Math.max(most, events.length);
    read += events.length;
    return events;
  };
  let forget = () => {};
  const onErased = (next: () => void) => {
    forget = next;
  };
  const findSnapshot = store.findSnapshot.bind(store);
  const keepSnapshot = store.keepSnapshot.bind(store);
  const counting = { readStream, onErased, findSnapshot, keepSnapshot };
  return {
    store: Object.assign(Object.create(store), counting) as EventStore,
    mostAtOnce: () => most,
    eventsRead: () => read,
    erase: () => forget(),
  };
}

test('pages of a long history join to all of it, newest first, and no page holds the whole stream', async () => {
  const { store, mostAtOnce } = await longStream();
  const snapshots = new FoldSnapshots(store, new Aggregates(store));
  const stream = { resource: counter, streamId, version: total };
  const paged = [];
  for (let before: number | null = null, isFirst = true; isFirst || before !== null; isFirst = false) {
    const page = await readHistory(store, snapshots, stream, {
      resource: 'counter/1',
      page: { before_version: before, limit: 400 },
    });
    paged.push(...page.changes);
    before = page.next_before;
  }
  expect(mostAtOnce()).toBe(500);
  const { changes } = await readHistory(store, snapshots, stream, { resource: 'counter/1' });
  expect(paged).toEqual(changes.toReversed());
  expect(paged[0]).toMatchObject({ version: total, after: { sum: (total * (total + 1)) / 2 } });
});

test('filters find what is far back', async () => {
  const { store } = await longStream();
  const snapshots = new FoldSnapshots(store, new Aggregates(store));
  const stream = { resource: counter, streamId, version: total };
  const ask = (filter: object) =>
    readHistory(store, snapshots, stream, {
      resource: 'counter/1',
      page: { before_version: 12, limit: 5 },
      ...filter,
    });
  const marked = await ask({ types: ['Marked'] });
  expect(marked.changes.map(({ version, before, after }) => [version, before, after])).toEqual([
    [10, { sum: 45 }, { sum: 55 }],
  ]);
  expect(marked.next_before).toBeNull();
  const byFive = await ask({ actor: 'api_key:5' });
  expect(byFive.changes.map(({ version }) => version)).toEqual([5]);
  const newest = await ask({});
  expect(newest.changes.map(({ version }) => version)).toEqual([11, 10, 9, 8, 7]);
  expect(newest.next_before).toBe(7);
  expect((await ask({ since: '2999-01-01T00:00:00Z' })).changes).toEqual([]);
});

test('a filter that finds little ends its search after so many events, and says where the next page goes on', async () => {
  const length = 12_345;
  const { store, eventsRead } = await longStream(length);
  const snapshots = new FoldSnapshots(store, new Aggregates(store));
  const stream = { resource: counter, streamId, version: length };
  const ask = (before_version: number | null, filter: object) =>
    readHistory(store, snapshots, stream, {
      resource: 'counter/1',
      page: { before_version, limit: 5 },
      ...filter,
    });
  const nobody = { actor: 'api_key:nobody' };
  const first = await ask(null, nobody);
  expect(first).toEqual({ changes: [], next_before: 2_346 });
  expect(eventsRead()).toBe(10_000);
  expect(await ask(first.next_before, nobody)).toEqual({ changes: [], next_before: null });
  expect(eventsRead()).toBe(length);
  expect(await ask(10_001, nobody)).toEqual({ changes: [], next_before: null });
});

test('a page after the first does not follow its stream from the beginning, until somebody is erased', async () => {
  const length = 12_000;
  const { store, eventsRead, erase } = await longStream(length);
  const snapshots = new FoldSnapshots(store, new Aggregates(store));
  const page = async (before_version: number) => {
    const before = eventsRead();
    const asked = { resource: 'counter/1', page: { before_version, limit: 2 } };
    const { changes } = await readHistory(
      store,
      snapshots,
      { resource: counter, streamId, version: length },
      asked,
    );
    const expected = [before_version - 1, before_version - 2].map((n) => ({
      version: n,
      before: { sum: (n * (n - 1)) / 2 },
      after: { sum: (n * (n + 1)) / 2 },
    }));
    expect(changes).toMatchObject(expected);
    return eventsRead() - before;
  };
  expect(await page(12_001)).toBeGreaterThan(12_000);
  for (const before of [11_999, 10_002, 10_001, 5_002, 5_001]) expect(await page(before)).toBeLessThan(6_000);
  erase();
  expect(await page(11_999)).toBeGreaterThan(11_000);
});

test('a page of a ledger begins at a snapshot of the log, also where nobody has asked for one before', async () => {
  const length = 12_000;
  const { store, eventsRead } = await longStream(length);
  const fold: Fold<{ readonly sum: number }, Counted> = {
    initialState: { sum: 0 },
    evolve: ({ sum }, { data }) => ({ sum: sum + data.by }),
    snapshots: { name: 'sum-1', pack: ({ sum }) => ({ sum }), unpack: ({ sum }) => ({ sum: Number(sum) }) },
  };
  const resource = defineResource({ name: 'ledger', streamOf: numberedStream('counter'), fold });
  await new Aggregates(store).load(streamId, fold);
  const page = async (before_version: number) => {
    const before = eventsRead();
    const snapshots = new FoldSnapshots(store, new Aggregates(store));
    const asked = { resource: 'ledger/1', page: { before_version, limit: 1 } };
    const { changes } = await readHistory(store, snapshots, { resource, streamId, version: length }, asked);
    const version = before_version - 1;
    expect(changes).toMatchObject([{ version, after: { sum: (version * (version + 1)) / 2 } }]);
    return eventsRead() - before;
  };
  for (const before of [12_001, 11_000, 10_001, 4_000, 2]) expect(await page(before)).toBeLessThan(5_100);
});

type Written = { readonly type: 'Written'; readonly data: { readonly text: string } };

const note = defineResource<{ readonly text: string }, Written>({
  name: 'note',
  streamOf: numberedStream('note'),
  fold: { initialState: { text: '' }, evolve: (_, { data }) => data },
});

test('a page of large changes is shorter than was asked for, and few of them are in memory at a time', async () => {
  const length = 120;
  const store = createInMemoryEventStore();
  const about = { streamId: 'note-1', category: 'note', accountId: 1, metadata: testMetadata };
  const events = Array.from({ length }, (_, n): Written => {
    return { type: 'Written', data: { text: `${n} `.padEnd(250_000, 'x') } };
  });
  for (const [n, event] of events.entries())
    await store.append({ ...about, events: [event], expectedVersion: n });
  let most = 0;
  const readStream: EventStore['readStream'] = async (id, options) => {
    const read = await store.readStream(id, options);
    most = Math.max(most, read.length);
    return read;
  };
  const counting = Object.assign(Object.create(store), { readStream }) as EventStore;
  const snapshots = new FoldSnapshots(store, new Aggregates(store));
  const stream = { resource: note, streamId: 'note-1', version: length };
  const versions: number[] = [];
  for (let before: number | null = null, isFirst = true; isFirst || before !== null; isFirst = false) {
    const { changes, next_before } = await readHistory(counting, snapshots, stream, {
      resource: 'note/1',
      page: { before_version: before, limit: 100 },
    });
    expect(JSON.stringify(changes).length).toBeLessThan(6_000_000);
    for (const { version, after } of changes) {
      expect(after).toEqual(events[version - 1]?.data);
      versions.push(version);
    }
    before = next_before;
  }
  expect(versions).toEqual(Array.from({ length }, (_, n) => length - n));
  expect(most).toBeLessThan(40);
  // One that finds nothing ends its search before it has read all of them.
  const nobody = { actor: 'api_key:nobody', page: { before_version: null, limit: 5 } };
  const { next_before: next } = await readHistory(counting, snapshots, stream, {
    resource: 'note/1',
    ...nobody,
  });
  expect(next).toBeGreaterThan(1);
});
