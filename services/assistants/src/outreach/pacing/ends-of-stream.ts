import { chunksDownFrom, type EventStore, type RecordedEvent } from '@parley/event-store';

/**
 * How many of the newest events are looked at: however often a lead or a campaign was changed, what came last tells.
 */
const latestEvents = 100;

/**
 * The first event of a stream at this version, and the newest wanted one among its latest. Read in parts from the end,
 * and no further than needed: each event may hold all the variables that a lead may have.
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
