import { beforeAll, describe, expect, test } from 'vitest';
import type { EventStore } from '../port.ts';
import { type EngineUnderTest, stream } from './requests.contract.ts';

const snapshotOf = (version: number) => ({
  version,
  accountId: 7,
  position: version * 10,
  recordedAt: `2026-11-21T10:00:00.00000${version}Z`,
  state: { sum: version, note: 'ünï "quoted"' },
});

/** What is kept of long streams. */
export function describeSnapshots(engine: () => EngineUnderTest): void {
  let store: EventStore;
  beforeAll(() => {
    store = engine().store;
  });

  describe('snapshots', () => {
    test('are found by stream, form and moment', async () => {
      const streamId = stream();
      for (const version of [2, 6, 4]) await store.keepSnapshot(streamId, 'sum-1', snapshotOf(version));
      const versionAt = async (moment: object) =>
        (await store.findSnapshot(streamId, 'sum-1', moment))?.version;
      expect(await store.findSnapshot(streamId, 'sum-1', {})).toEqual(snapshotOf(6));
      expect(await versionAt({ version: 5 })).toBe(4);
      expect(await versionAt({ position: 39 })).toBe(2);
      expect(await versionAt({ time: '2026-11-21T11:00:00.000004+01:00' })).toBe(4);
      expect(await versionAt({ version: 1 })).toBeUndefined();
      expect(await store.findSnapshot(streamId, 'sum-2', {})).toBeUndefined();
      expect(await store.findSnapshot(stream(), 'sum-1', {})).toBeUndefined();
    });

    test('are kept again without harm, in the place of one that could not be read', async () => {
      const streamId = stream();
      await store.keepSnapshot(streamId, 'sum-1', { ...snapshotOf(3), state: {} });
      await Promise.all([1, 2].map(() => store.keepSnapshot(streamId, 'sum-1', snapshotOf(3))));
      expect(await store.findSnapshot(streamId, 'sum-1', {})).toEqual(snapshotOf(3));
    });
  });
}
