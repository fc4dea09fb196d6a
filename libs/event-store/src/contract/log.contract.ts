import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AppendRequest, EventStore, RecordedEvent } from '../port.ts';
import { type EngineUnderTest, happened, request, stream } from './requests.contract.ts';

/** Dense positions, filters, wake-ups, newest payloads. */
export function describeLog(engine: () => EngineUnderTest): void {
  let store: EventStore;
  beforeAll(() => {
    store = engine().store;
  });
  const appendAll = (requests: AppendRequest[]) => Promise.all(requests.map((one) => store.append(one)));

  describe('the log', () => {
    test('has no gap between positions and is read in pages', async () => {
      const before = await store.head();
      await appendAll(Array.from({ length: 100 }, () => request({ events: [happened(), happened()] })));
      const head = await store.head();
      expect(head).toBe(before + 200);
      const positions: number[] = [];
      for (let after = before; after < head; ) {
        const page = await store.readAll({ after, limit: 33 });
        positions.push(...page.map(({ position }) => position));
        after = page.at(-1)?.position ?? head;
      }
      expect(positions).toEqual(Array.from({ length: 200 }, (_, index) => before + index + 1));
      expect(await store.readAll({ after: head, limit: 10 })).toEqual([]);
    });

    test('is read up to a position', async () => {
      const after = await store.head();
      await store.append(request({ events: [happened(1), happened(2), happened(3)] }));
      const read = async (upTo: number) =>
        (await store.readAll({ after, upTo, limit: 10 })).map(({ position }) => position - after);
      expect(await read(after)).toEqual([]);
      expect(await read(after + 2)).toEqual([1, 2]);
      expect(await read(after + 100)).toEqual([1, 2, 3]);
    });

    test('is followed in pages that are short where events are large', async () => {
      const [after, streamId] = [await store.head(), stream()];
      const large = { type: 'Happened', data: { text: 'x'.repeat(100_000) } };
      for (const _ of [1, 2, 3])
        await store.append(request({ events: Array.from({ length: 100 }, () => large) }));
      await store.append(request({ streamId, events: [happened()] }));
      const upTo = await store.head();
      const first = await store.readPage({ after, upTo, limit: 500 });
      expect(first.events.length).toBeLessThan(300);
      expect(first.reached).toBe(after + first.events.length);
      const rest = await store.readPage({ after: first.reached, upTo, limit: 500 });
      expect(first.events.length + rest.events.length).toBe(301);
      expect(rest.reached).toBe(upTo);
      expect(await store.readPage({ after, upTo, limit: 500, streamId })).toMatchObject({
        events: [{ streamId }],
        reached: upTo,
      });
      expect((await store.readPage({ after, upTo: upTo - 1, limit: 500, streamId })).events).toEqual([]);
    });

    test('is read at some positions', async () => {
      const after = await store.head();
      await store.append(request({ accountId: 1, events: [happened(1), happened(2), happened(3)] }));
      const read = async (options: object) =>
        (
          await store.readAll({ after, limit: 10, positions: [after + 3, after + 1, after + 9], ...options })
        ).map(({ position }) => position - after);
      expect(await read({})).toEqual([1, 3]);
      expect(await read({ after: after + 1 })).toEqual([3]);
      expect(await read({ limit: 1 })).toEqual([1]);
      expect(await read({ accountId: 2 })).toEqual([]);
    });

    test('is filtered by type, account and stream', async () => {
      const [after, one, other] = [await store.head(), stream(), stream()];
      await store.append(
        request({ streamId: one, accountId: 1, events: [happened(1), { type: 'Other', data: {} }] }),
      );
      await store.append(
        request({ streamId: other, accountId: 2, events: [happened(2), { type: 'Third', data: {} }] }),
      );
      const read = async (options: object) =>
        (await store.readAll({ after, limit: 10, ...options })).map(
          ({ type, accountId }) => `${type} ${accountId}`,
        );
      expect(await read({})).toEqual(['Happened 1', 'Other 1', 'Happened 2', 'Third 2']);
      expect(await read({ types: ['Happened', 'Third'] })).toEqual(['Happened 1', 'Happened 2', 'Third 2']);
      expect(await read({ accountId: 2 })).toEqual(['Happened 2', 'Third 2']);
      expect(await read({ accountIds: [2, 3] })).toEqual(['Happened 2', 'Third 2']);
      expect(await read({ accountIds: [1, 2], types: ['Other', 'Third'] })).toEqual(['Other 1', 'Third 2']);
      expect(await read({ accountIds: [] })).toEqual([]);
      expect(await read({ streamId: one })).toEqual(['Happened 1', 'Other 1']);
      expect(await read({ streamId: other, accountId: 1 })).toEqual([]);
      expect(await read({ correlationId: 'another request' })).toEqual([]);
      expect(await read({ correlationId: request().metadata.correlationId, accountId: 2 })).toEqual([
        'Happened 2',
        'Third 2',
      ]);
      expect(await read({ types: ['Other'], accountId: 1, streamId: one, limit: 1 })).toEqual(['Other 1']);
    });

    test('is read by what was imported under a key', async () => {
      const after = await store.head();
      const imported = { ...request().metadata, imported: true } as const;
      const about = (data: object) => ({ type: 'Happened', data });
      const events = [
        about({ hold_id: 'a', reference: 'b' }),
        about({ hold_id: 'b' }),
        about({ reference: 'b' }),
        about({ hold_id: null, reference: 'b' }),
        about({}),
      ];
      await appendAll([request({ events, metadata: imported }), request({ events })]);
      const read = async (importedKey: string) =>
        (await store.readAll({ after, limit: 10, importedKey })).map(({ position }) => position - after);
      expect(await read('a')).toEqual([1]);
      expect(await read('b')).toEqual([2, 3, 4]);
      expect(await read('c')).toEqual([]);
    });

    test('wakes whoever waits for appended events', async () => {
      let woken = 0;
      const unsubscribe = store.onAppended(() => {
        woken++;
      });
      const seen = await wokenBy(
        () => woken,
        () => store.append(request()),
      );
      expect(seen).toBeGreaterThan(0);
      unsubscribe();
    });

    test('delivers its own appends to subscribers as a reader will find them', async () => {
      const delivered: RecordedEvent[] = [];
      const unsubscribe = store.onAppended((events) => delivered.push(...events));
      const after = await store.head();
      const older = { type: 'Renamed', data: { title: 'a' }, schemaVersion: 1 };
      await appendAll([request({ events: [older, happened(1)] }), request(), request({ accountId: 7 })]);
      const read = await store.readAll({ after, limit: 10 });
      await eventually(() => expect(delivered).toEqual(read));
      unsubscribe();
    });

    test('brings payloads to their newest version when read', async () => {
      const streamId = stream();
      await store.append(
        request({
          streamId,
          events: [
            { type: 'Renamed', data: { title: 'a' }, schemaVersion: 1 },
            { type: 'Renamed', data: { name: 'b' }, schemaVersion: 2 },
            { type: 'Renamed', data: { name: 'c' }, schemaVersion: 3 },
            // Written as it is read: at the newest.
            { type: 'Renamed', data: { name: 'd' } },
          ],
        }),
      );
      const expected = ['a!', 'b!', 'c', 'd'].map((name) => ({ schemaVersion: 3, data: { name } }));
      expect(await store.readStream(streamId)).toMatchObject(expected);
      expect(await store.readAll({ after: 0, limit: 10, streamId })).toMatchObject(expected);
    });
  });
}

/** Acts until it was seen: a wake-up that was missed because nobody listened yet is no fault. */
async function wokenBy(seen: () => number, act: () => Promise<unknown>): Promise<number> {
  await act();
  return eventually(() => {
    if (seen() === 0) throw new Error('nobody was woken');
    return seen();
  });
}
