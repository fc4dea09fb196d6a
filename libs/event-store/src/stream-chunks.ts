import { payloadLength } from './payload-length.ts';
import type { EventStore, RecordedEvent } from './port.ts';

/** Streams may be long and their events large: so many events, and of large ones so many characters, are read at a time. */
const maxEvents = 500;
const maxCharacters = 8 * 1024 * 1024;
/** How large they are is not known before: each chunk is so many times the one before, if that will fit. */
const firstChunk = 16;
const growth = 4;

type Streams = Pick<EventStore, 'readStream'>;

/** The events of a stream from a version on, up to another or to its end, in order; `size` of them in the first chunk. */
export async function* chunksFrom(
  store: Streams,
  streamId: string,
  first: number,
  last = Number.POSITIVE_INFINITY,
  size = firstChunk,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let from = first, count = size; from <= last; ) {
    const toVersion = Math.min(last, from + count - 1);
    const events = await store.readStream(streamId, { fromVersion: from, toVersion });
    if (events.length > 0) yield events;
    if (events.length < toVersion - from + 1) return;
    from = toVersion + 1;
    count = countAfter(count, events);
  }
}

/** The events of a stream from a version down to another: the newest chunk first, each in order. */
export async function* chunksDownFrom(
  store: Streams,
  streamId: string,
  last: number,
  first: number,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let to = last, count = firstChunk; to >= first; ) {
    const fromVersion = Math.max(first, to - count + 1);
    const events = await store.readStream(streamId, { fromVersion, toVersion: to });
    yield events;
    to = fromVersion - 1;
    count = countAfter(count, events);
  }
}

function countAfter(count: number, events: readonly RecordedEvent[]): number {
  const characters = events.reduce((sum, event) => sum + payloadLength(event), 0);
  const fitting = Math.floor((maxCharacters / characters) * events.length) || 1;
  return Math.min(maxEvents, count * growth, fitting);
}
