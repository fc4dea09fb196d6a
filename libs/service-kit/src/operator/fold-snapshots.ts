import type { Aggregates, EventStore } from '@parley/event-store';
import { LRUCache } from 'lru-cache';
import type { Follower, Resource } from '../resources/resource.ts';

/** What lies between two snapshots of a stream: so many events, or characters of their payloads. */
const apart = { events: 5_000, characters: 16 * 1024 * 1024 };
const maxStreams = 100;

interface Snapshot {
  /** Of the newest event that is in it. */
  readonly version: number;
  readonly follower: Follower;
}

/** Folds of one stream, the oldest first. */
export type StreamSnapshots = Snapshot[];

interface Beginning extends Snapshot {
  /** Where snapshots are kept on the way. */
  readonly kept: StreamSnapshots;
}

/** Folds in the midst of long streams: whoever looks at a change need not follow its stream from the first event. */
export class FoldSnapshots {
  readonly #streams = new LRUCache<string, StreamSnapshots>({ max: maxStreams });
  readonly #aggregates: Pick<Aggregates, 'loadAt'>;

  constructor(store: Pick<EventStore, 'onErased'>, aggregates: Pick<Aggregates, 'loadAt'>) {
    this.#aggregates = aggregates;
    store.onErased(() => this.#streams.clear());
  }

  /**
   * The newest fold at or before `version`: the one that the log's own snapshots lead to, where it has any (ADR 40). To be
   * asked before anything is read: what is kept after people were erased meanwhile is lost with the rest.
   */
  async before(resource: Resource, streamId: string, version: number): Promise<Beginning> {
    const kept = this.#of(resource, streamId);
    const loaded = await resource.followFrom?.(this.#aggregates, streamId, version);
    if (loaded) return { ...loaded, kept: [] };
    const last = kept.findLast((snapshot) => snapshot.version <= version);
    return { follower: last?.follower.fork() ?? resource.follow(), version: last?.version ?? 0, kept };
  }

  #of({ name }: Pick<Resource, 'name'>, streamId: string): StreamSnapshots {
    const key = `${name} ${streamId}`;
    const known = this.#streams.get(key) ?? [];
    this.#streams.set(key, known);
    return known;
  }
}

/** Keeps a snapshot where one is due and missing; `characters`: of the payloads that were followed since the last one. */
export function keepSnapshot(
  snapshots: StreamSnapshots,
  { version, follower }: Snapshot,
  characters: number,
): boolean {
  const since = version - (snapshots.at(-1)?.version ?? 0);
  const isDue = since >= apart.events || (since > 0 && characters >= apart.characters);
  if (isDue) snapshots.push({ version, follower: follower.fork() });
  return isDue;
}
