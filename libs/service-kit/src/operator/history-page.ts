import type { getHistory } from '@parley/contracts';
import type { EventStore, RecordedEvent } from '@parley/event-store';
import type { z } from 'zod';
import type { ResourceChange } from '../resource.ts';
import type { FoundResource } from './find-resource.ts';
import { type FoldSnapshots, keepSnapshot, lastSnapshot } from './fold-snapshots.ts';

type Asked = z.output<typeof getHistory.input>;
type Page = Pick<z.output<typeof getHistory.output>, 'changes' | 'next_before'>;
type Change = Page['changes'][number];

/** Streams may be long: so many events are in memory at a time, beside those of the answer. */
const chunkSize = 500;
/** A page looks at no more for what was asked for: whoever asks waits a second and a half for it. */
const maxLookedAt = 10_000;

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
  const { found, lookedDownTo } = await newestMatching(store, stream.streamId, last, asked, limit + 1);
  const page = await changesOf(store, snapshots, stream, found.slice(0, limit));
  return {
    changes: page.map(toMessage),
    next_before: found.length > limit ? (page.at(-1)?.event.streamVersion ?? null) : lookedDownTo,
  };
}

/**
 * Versions of the newest events up to `last` that were asked for, newest first; and how far down was looked for them,
 * null when there can be no more below.
 */
async function newestMatching(
  store: EventStore,
  streamId: string,
  last: number,
  asked: Asked,
  limit: number,
): Promise<{ readonly found: readonly number[]; readonly lookedDownTo: number | null }> {
  const found: number[] = [];
  let to = last;
  for (; to >= 1 && found.length < limit && last - to < maxLookedAt; to -= chunkSize) {
    const events = await store.readStream(streamId, {
      fromVersion: Math.max(1, to - chunkSize + 1),
      toVersion: to,
    });
    for (const event of events.toReversed()) {
      if (found.length < limit && matches(asked, event)) found.push(event.streamVersion);
    }
    const [oldest] = events;
    if (oldest && asked.since !== undefined && new Date(oldest.recordedAt) < new Date(asked.since))
      return { found, lookedDownTo: null };
  }
  return { found, lookedDownTo: to >= 1 ? to + 1 : null };
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
  const known = snapshots.of(resource, streamId);
  const { follower = resource.follow(), version } = lastSnapshot(known, (versions.at(-1) ?? 1) - 1);
  const changes: ResourceChange[] = [];
  for (let from = version + 1; from <= newest; from += chunkSize) {
    const toVersion = Math.min(newest, from + chunkSize - 1);
    for (const event of await store.readStream(streamId, { fromVersion: from, toVersion })) {
      const change = follower.next(event, wanted.has(event.streamVersion));
      if (change) changes.push(change);
    }
    keepSnapshot(known, toVersion, follower);
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

/** `actor` is an id (`12`), a kind (`operator`) or both (`api_key:12`); `since` and `until` are included. */
function matches({ since, until, actor, types }: Asked, event: RecordedEvent): boolean {
  const { kind, id } = event.metadata.actor;
  if (actor !== undefined && ![id, kind, `${kind}:${id}`].includes(actor)) return false;
  if (types !== undefined && !types.includes(event.type)) return false;
  const at = new Date(event.recordedAt);
  return (since === undefined || at >= new Date(since)) && (until === undefined || at <= new Date(until));
}
