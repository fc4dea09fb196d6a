import type { EventStore, RecordedEvent } from '@parley/event-store';

/** A lead may be changed, and a campaign be stopped and started, however often: what came last tells how it goes on. */
const latestEvents = 100;

/** The first event of a stream that has come to this version, and its latest ones, in order. */
export async function endsOfStream(
  store: Pick<EventStore, 'readStream'>,
  streamId: string,
  version: number,
): Promise<readonly RecordedEvent[]> {
  const fromVersion = Math.max(1, version - latestEvents + 1);
  const [first, latest] = await Promise.all([
    fromVersion === 1 ? [] : store.readStream(streamId, { fromVersion: 1, toVersion: 1 }),
    store.readStream(streamId, { fromVersion, toVersion: version }),
  ]);
  return [...first, ...latest];
}
