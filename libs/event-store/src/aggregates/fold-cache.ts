import { LRUCache } from 'lru-cache';
import type { Fold } from './decider.ts';
import type { Loaded } from './folding.ts';
import { sizeOf } from './size-of.ts';

interface Entry {
  readonly fold: unknown;
  readonly loaded: Loaded<unknown>;
}

/** The place of one stream's fold in the cache, taken before anything is read or decided. */
export interface FoldPlace<State, Event> {
  readonly streamId: string;
  readonly fold: Fold<State, Event>;
  /** As it was folded last, if that is remembered. */
  readonly known: Loaded<State> | undefined;
  /** Remembers a fold of what was read since. Ignored for a stream that does not exist, and once the cache was cleared. */
  keep(loaded: Loaded<State>): void;
}

/** The folds used last, by stream. Only ever a hint: a stale one costs another try, never a wrong decision. */
export class FoldCache {
  readonly #entries: LRUCache<string, Entry>;
  #timesCleared = 0;

  constructor({ maxEntries, maxBytes }: { readonly maxEntries: number; readonly maxBytes: number }) {
    this.#entries = new LRUCache({
      max: maxEntries,
      maxSize: maxBytes,
      sizeCalculation: ({ loaded }) => sizeOf(loaded.state),
    });
  }

  placeOf<State, Event>(streamId: string, fold: Fold<State, Event>): FoldPlace<State, Event> {
    const entry = this.#entries.get(streamId);
    const before = this.#timesCleared;
    return {
      streamId,
      fold,
      // The same fold made it, so it is of the fold's state.
      known: entry?.fold === fold ? (entry.loaded as Loaded<State>) : undefined,
      keep: (loaded) => {
        if (loaded.version > 0 && before === this.#timesCleared)
          this.#entries.set(streamId, { fold, loaded });
      },
    };
  }

  /** Forgets what is known, and what somebody is about to know from before. */
  clear(): void {
    this.#timesCleared += 1;
    this.#entries.clear();
  }
}
