import { chunksFrom, type EventStore, type JsonObject, type RecordedEvent } from '@parley/event-store';
import type { Follower, ResourceChange } from '../resources/resource.ts';
import { changedFields } from '../resources/revert.ts';
import type { FoundResource } from './find-resource.ts';

type Stream = Pick<FoundResource, 'resource' | 'streamId'>;

/** One change of a resource, and what came after it. */
export interface FollowedChange {
  readonly change: ResourceChange;
  /** All that is shown now. */
  readonly now: JsonObject;
  /** Of the stream, now. */
  readonly version: number;
  /** The newest event after it that changed any of these fields; undefined when none did. */
  readonly newestLater: (fields: readonly string[]) => Promise<RecordedEvent | undefined>;
}

/** Undefined when the event is none of the resource's. */
export async function followChange(
  store: Pick<EventStore, 'readStream'>,
  { resource, streamId }: Stream,
  eventId: string,
): Promise<FollowedChange | undefined> {
  const follower = resource.follow();
  let found: { readonly change: ResourceChange; readonly since: Follower } | undefined;
  let now: JsonObject = {};
  let version = 0;
  for await (const events of chunksFrom(store, streamId, 1)) {
    for (const event of events) {
      const change = follower.next(event, event.eventId === eventId || event === events.at(-1));
      if (change) now = change.shown;
      version = event.streamVersion;
      if (change && event.eventId === eventId) found = { change, since: follower.fork() };
    }
  }
  if (!found) return undefined;
  const { change, since } = found;
  return {
    change,
    now,
    version,
    async newestLater(fields) {
      const later = since.fork();
      let newest: RecordedEvent | undefined;
      for await (const events of chunksFrom(store, streamId, change.event.streamVersion + 1)) {
        for (const event of events) {
          const next = later.next(event, true);
          if (next && changedFields(next).some((field) => fields.includes(field))) newest = event;
        }
      }
      return newest;
    },
  };
}
