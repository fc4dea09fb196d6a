import { type getHistory, isActedBy } from '@parley/contracts';
import {
  chunksDownFrom,
  chunksFrom,
  type EventStore,
  payloadLength,
  type RecordedEvent,
} from '@parley/event-store';
import type { z } from 'zod';
import type { ResourceChange } from '../resources/resource.ts';
import type { FoundResource } from './find-resource.ts';
import { type FoldSnapshots, keepSnapshot } from './fold-snapshots.ts';

type Asked = z.output<typeof getHistory.input>;
type Page = Pick<z.output<typeof getHistory.output>, 'changes' | 'next_before'>;
type Change = Page['changes'][number];

/**
 * A page looks at no more for what was asked for: whoever asks waits a second and a half for it. So many characters of
 * payloads are full ones as well.
 */
const maxLookedAt = { events: 10_000, characters: 16 * 1024 * 1024 };
/** Payloads of a page, which come twice in it, before and after: a page of large changes is shorter than was asked for. */
const maxCharacters = 2 * 1024 * 1024;

type Stream = Pick<FoundResource, 'resource' | 'streamId'> & { readonly version: number };

/** What of a resource's changes was asked for, and where its next page begins. */
export async function readHistory(
  store: EventStore,
  snapshots: FoldSnapshots,
  stream: Stream,
  asked: Asked,
): Promise<Page> {
  if (!asked.page) {
    const changes = stream.resource.changes(await store.readStream(stream.streamId));
    return {
      changes: changes.filter(({ event }) => matches(asked, event)).map(toMessage),
      next_before: null,
    };
  }
  const { before_version: before, limit } = asked.page;
  const last = Math.min(stream.version, (before ?? Number.POSITIVE_INFINITY) - 1);
  const { versions, next } = await newestMatching(store, stream.streamId, last, { ...asked, limit });
  const changes = await changesOf(store, snapshots, stream, versions);
  return { changes: changes.map(toMessage), next_before: next };
}

/**
 * Versions of the newest events up to `last` that were asked for, newest first, as many as a page holds; and below which
 * version the next page looks on, null when there can be no more.
 */
async function newestMatching(
  store: EventStore,
  streamId: string,
  last: number,
  { limit, ...asked }: Asked & { readonly limit: number },
): Promise<{ readonly versions: readonly number[]; readonly next: number | null }> {
  const versions: number[] = [];
  const characters = { lookedAt: 0, found: 0 };
  const lowest = Math.max(1, last - maxLookedAt.events + 1);
  for await (const events of chunksDownFrom(store, streamId, last, lowest)) {
    for (const event of events.toReversed()) {
      if (characters.lookedAt >= maxLookedAt.characters) return { versions, next: event.streamVersion + 1 };
      const length = payloadLength(event);
      characters.lookedAt += length;
      if (!matches(asked, event)) continue;
      if (versions.length === limit || characters.found >= maxCharacters)
        return { versions, next: versions.at(-1) ?? null };
      characters.found += length;
      versions.push(event.streamVersion);
    }
    const [oldest] = events;
    if (oldest && asked.since !== undefined && new Date(oldest.recordedAt) < new Date(asked.since))
      return { versions, next: null };
  }
  return { versions, next: lowest > 1 ? lowest : null };
}

/** What these versions changed, newest first: a change is known by the state before it, so the stream is followed up to it. */
async function changesOf(
  store: EventStore,
  snapshots: FoldSnapshots,
  { resource, streamId }: Stream,
  versions: readonly number[],
): Promise<ResourceChange[]> {
  const [newest = 0] = versions;
  const wanted = new Set(versions);
  const beginning = await snapshots.before(resource, streamId, (versions.at(-1) ?? 1) - 1);
  const { follower, version: first, kept } = beginning;
  const changes: ResourceChange[] = [];
  let characters = 0;
  for await (const events of chunksFrom(store, streamId, first + 1, newest)) {
    for (const event of events) {
      const { streamVersion: version } = event;
      const change = follower.next(event, wanted.has(version));
      if (change) changes.push(change);
      characters += payloadLength(event);
      if (keepSnapshot(kept, { version, follower }, characters)) characters = 0;
    }
  }
  return changes.reverse();
}

const toMessage = ({ event, summary, before, after }: ResourceChange): Change => ({
  event: event.type,
  event_id: event.eventId,
  summary,
  version: event.streamVersion,
  position: event.position,
  occurred_at: event.recordedAt,
  actor: event.metadata.actor,
  request_id: event.metadata.correlationId,
  caused_by: event.metadata.causationId,
  // What `show` gives is JSON.
  before: before as Change['before'],
  after: after as Change['after'],
});

/** `since` and `until` are included. */
function matches({ since, until, actor, types }: Asked, event: RecordedEvent): boolean {
  if (actor !== undefined && !isActedBy(actor, event.metadata.actor)) return false;
  if (types !== undefined && !types.includes(event.type)) return false;
  const at = new Date(event.recordedAt);
  return (since === undefined || at >= new Date(since)) && (until === undefined || at <= new Date(until));
}
