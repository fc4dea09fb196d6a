import type { Fold } from './decider.ts';
import type { Loaded } from './folding.ts';

interface Entry {
  readonly fold: unknown;
  readonly loaded: Loaded<unknown>;
}

/** The folds used last, by stream. Only ever a hint: a stale one costs another try, never a wrong decision. */
export class FoldCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get<State, Event>(streamId: string, fold: Fold<State, Event>): Loaded<State> | undefined {
    const entry = this.#entries.get(streamId);
    if (entry?.fold !== fold) return undefined;
    this.#entries.delete(streamId);
    this.#entries.set(streamId, entry);
    // The same fold made it, so it is of the fold's state.
    return entry.loaded as Loaded<State>;
  }

  set<State, Event>(streamId: string, fold: Fold<State, Event>, loaded: Loaded<State>): void {
    this.#entries.delete(streamId);
    this.#entries.set(streamId, { fold, loaded });
    if (this.#entries.size <= this.#maxEntries) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
  }

  clear(): void {
    this.#entries.clear();
  }

  delete(streamId: string): void {
    this.#entries.delete(streamId);
  }
}
