import type { EventStore } from '@parley/event-store';
import { LRUCache } from 'lru-cache';
import type { Follower, Resource } from '../resource.ts';

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

/** Folds in the midst of long streams: whoever looks at a change need not follow its stream from the first event. */
export class FoldSnapshots {
  readonly #streams = new LRUCache<string, StreamSnapshots>({ max: maxStreams });

  constructor(store: Pick<EventStore, 'onErased'>) {
    store.onErased(() => this.#streams.clear());
  }

  /** To be asked before anything is read: what is set in them after people were erased meanwhile is lost with them. */
  of({ name }: Pick<Resource, 'name'>, streamId: string): StreamSnapshots {
    const key = `${name} ${streamId}`;
    const known = this.#streams.get(key) ?? [];
    this.#streams.set(key, known);
    return known;
  }
}

/** The newest snapshot at or before `version`, and the version it is of. */
export function lastSnapshot(snapshots: StreamSnapshots, version: number) {
  const last = snapshots.findLast((snapshot) => snapshot.version <= version);
  return { follower: last?.follower.fork(), version: last?.version ?? 0 };
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
