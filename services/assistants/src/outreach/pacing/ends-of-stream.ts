import { chunksDownFrom, type EventStore, type RecordedEvent } from '@parley/event-store';

/** A lead may be changed, and a campaign be stopped and started, however often: what came last tells how it goes on. */
const latestEvents = 100;

/**
 * The first event of a stream that has come to this version, and of its latest ones the newest that is wanted. Those
 * behind it alone are looked at, a part of them at a time: each may hold all the variables that a lead may have.
 */
export async function endsOfStream(
  store: Pick<EventStore, 'readStream'>,
  streamId: string,
  version: number,
  isWanted: (event: RecordedEvent) => boolean,
): Promise<readonly RecordedEvent[]> {
  let first: RecordedEvent | undefined;
  let newest: RecordedEvent | undefined;
  for await (const events of chunksDownFrom(
    store,
    streamId,
    version,
    Math.max(1, version - latestEvents + 1),
  )) {
    first = events[0];
    newest = events.findLast(isWanted);
    if (newest) break;
  }
  if (first?.streamVersion !== 1)
    [first] = await store.readStream(streamId, { fromVersion: 1, toVersion: 1 });
  return [first, newest === first ? undefined : newest].filter((event) => event !== undefined);
}
