import { LRUCache } from 'lru-cache';
import type { Fold } from './decider.ts';
import type { Loaded } from './folding.ts';

interface Entry {
  readonly fold: unknown;
  readonly loaded: Loaded<unknown>;
}

/** The folds used last, by stream. Only ever a hint: a stale one costs another try, never a wrong decision. */
export class FoldCache {
  readonly #entries: LRUCache<string, Entry>;

  constructor(maxEntries: number) {
    this.#entries = new LRUCache({ max: maxEntries });
  }

  get<State, Event>(streamId: string, fold: Fold<State, Event>): Loaded<State> | undefined {
    const entry = this.#entries.get(streamId);
    if (entry?.fold !== fold) return undefined;
    // The same fold made it, so it is of the fold's state.
    return entry.loaded as Loaded<State>;
  }

  set<State, Event>(streamId: string, fold: Fold<State, Event>, loaded: Loaded<State>): void {
    this.#entries.set(streamId, { fold, loaded });
  }

  clear(): void {
    this.#entries.clear();
  }

  delete(streamId: string): void {
    this.#entries.delete(streamId);
  }
}
