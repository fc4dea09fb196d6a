import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AppendRequest, EventStore } from '../port.ts';
import { type EngineUnderTest, happened, request, stream } from './requests.contract.ts';

/** Appends to one stream that follow each other: asked for one by one, or as a run whose parts follow from each other. */
export function describeRuns(engine: () => EngineUnderTest): void {
  let store: EventStore;
  beforeAll(() => {
    store = engine().store;
  });
  const appendAll = (requests: AppendRequest[]) => Promise.all(requests.map((one) => store.append(one)));

  describe('a run of appends', () => {
    test('writes a run of appends to one stream, each behind the one before it', async () => {
      const streamId = stream();
      await store.append(request({ streamId }));
      const run = [1, 2, 2, 5].map((expectedVersion, index) =>
        request({
          streamId,
          expectedVersion,
          events: Array.from({ length: [1, 0, 3, 2][index] ?? 0 }, happened),
        }),
      );
      expect(await appendAll(run)).toMatchObject(
        [2, 2, 5, 7].map((version) => ({ kind: 'appended', version })),
      );
      const events = await store.readStream(streamId);
      expect(events.map(({ streamVersion }) => streamVersion)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(events.map(({ position }) => position)).toEqual(
        events.map(({ position }) => position).sort((a, b) => a - b),
      );
    });

    test('refuses what of a run comes too late, and says what the version is', async () => {
      const streamId = stream();
      await store.append(request({ streamId, events: [happened(), happened()] }));
      const [tooLate, fits] = await appendAll(
        [1, 2].map((expectedVersion) => request({ streamId, expectedVersion })),
      );
      expect(tooLate).toEqual({ kind: 'conflict', actualVersion: 2 });
      expect(fits).toMatchObject({ kind: 'appended', version: 3 });
      const late = [0, 1, 2].map((expectedVersion) => request({ streamId, expectedVersion }));
      expect(await appendAll(late)).toEqual(late.map(() => ({ kind: 'conflict', actualVersion: 3 })));
    });

    test('goes on with a run without what is known already, if it still fits', async () => {
      const streamId = stream();
      const command = { commandId: randomUUID(), fingerprint: '', reply: '1' };
      await store.append(request({ streamId, command, expectedVersion: 0 }));
      const run = [
        request({ streamId, command, expectedVersion: 1 }),
        request({ streamId, expectedVersion: 2 }),
        request({ streamId, expectedVersion: 3 }),
      ];
      const [repeated, ...rest] = await appendAll(run);
      expect(repeated).toMatchObject({ kind: 'repeated', reply: '1', version: 1 });
      expect(rest).toEqual(rest.map(() => ({ kind: 'conflict', actualVersion: 1 })));
      expect(await store.readStream(streamId)).toHaveLength(1);
    });

    /** Of a run whose parts mean something only one after the other, what became of each. */
    const outcomesOf = async (requests: AppendRequest[]) =>
      (await store.appendRun(requests)).map((result) =>
        result.status === 'fulfilled' ? result.value.kind : 'failed',
      );

    test('writes a run whose parts follow from each other, all of it where all of it fits', async () => {
      const streamId = stream();
      const run = Array.from({ length: 300 }, (_, expectedVersion) => request({ streamId, expectedVersion }));
      expect(await outcomesOf(run)).toEqual(run.map(() => 'appended'));
      expect(await store.readStream(streamId)).toHaveLength(300);
      expect(await store.appendRun([])).toEqual([]);
    });

    test('writes of such a run what comes before the first that is refused, and nothing behind it that fits', async () => {
      const streamId = stream();
      const command = { commandId: randomUUID(), fingerprint: '', reply: '1' };
      await store.append(request({ streamId, command, expectedVersion: 0 }));
      const fit = (expectedVersion: number) => request({ streamId, expectedVersion });
      // Without the known one, the last would fit.
      const run = [fit(1), fit(2), request({ streamId, command, expectedVersion: 3 }), fit(4), fit(3)];
      expect(await outcomesOf(run)).toEqual(['appended', 'appended', 'repeated', 'conflict', 'conflict']);
      expect(await store.readStream(streamId)).toHaveLength(3);
    });

    test('fails of such a run what can never be written, and only that', async () => {
      const taken = { ...happened(), eventId: randomUUID() };
      await store.append(request({ events: [taken] }));
      for (const bad of [happened('\0'), happened(1n), taken]) {
        const streamId = stream();
        const run = [0, 1, 2, 3].map((expectedVersion) =>
          request({ streamId, expectedVersion, events: [expectedVersion === 2 ? bad : happened()] }),
        );
        expect(await outcomesOf(run)).toEqual(['appended', 'appended', 'failed', 'conflict']);
        expect(await store.readStream(streamId)).toHaveLength(2);
      }
    });

    test('writes nothing of such a run that is too late, however long it is', async () => {
      const streamId = stream();
      const others = Array.from({ length: 256 }, () => happened());
      await store.append(request({ streamId, events: others, expectedVersion: 0 }));
      // In the midst of it, where a batch is full, one expects the version as it is.
      const run = Array.from({ length: 300 }, (_, expectedVersion) => request({ streamId, expectedVersion }));
      expect(await outcomesOf(run)).toEqual(run.map(() => 'conflict'));
      expect(await store.readStream(streamId)).toHaveLength(256);
    });
  });
}
