import type { EventStore } from '@parley/event-store';
import { LRUCache } from 'lru-cache';
import type { Follower, Resource } from '../resource.ts';

/** So many events of a stream are between two of them. */
const apart = 5_000;
const maxStreams = 100;

/** What a stream came to after every so many events. */
export type StreamWaymarks = Follower[];

/** Resources on their way through long streams: whoever looks at a change need not follow its stream from the first event. */
export class Waymarks {
  readonly #streams = new LRUCache<string, StreamWaymarks>({ max: maxStreams });

  constructor(store: Pick<EventStore, 'onErased'>) {
    store.onErased(() => this.#streams.clear());
  }

  /** To be asked before anything is read: what is set in them after people were erased meanwhile is lost with them. */
  of({ name }: Pick<Resource, 'name'>, streamId: string): StreamWaymarks {
    const key = `${name} ${streamId}`;
    const known = this.#streams.get(key) ?? [];
    this.#streams.set(key, known);
    return known;
  }
}

/** The last one that is not behind `version`, and its own version. */
export function lastWaymark(marks: StreamWaymarks, version: number) {
  const count = Math.min(Math.floor(version / apart), marks.length);
  return { follower: marks[count - 1]?.fork(), version: count * apart };
}

/** Sets one where there is to be one and is none yet. */
export function passWaymark(marks: StreamWaymarks, version: number, follower: Follower): void {
  if (version === (marks.length + 1) * apart) marks.push(follower.fork());
}
