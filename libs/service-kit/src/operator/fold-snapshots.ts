import type { EventStore } from '@parley/event-store';
import { LRUCache } from 'lru-cache';
import type { Follower, Resource } from '../resource.ts';

/** Events of a stream between two snapshots. */
const apart = 5_000;
const maxStreams = 100;

/** Folds of one stream, after every `apart` events. */
export type StreamSnapshots = Follower[];

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
  const count = Math.min(Math.floor(version / apart), snapshots.length);
  return { follower: snapshots[count - 1]?.fork(), version: count * apart };
}

/** Keeps a snapshot where one is due and missing. */
export function keepSnapshot(snapshots: StreamSnapshots, version: number, follower: Follower): void {
  if (version === (snapshots.length + 1) * apart) snapshots.push(follower.fork());
}
