import type { Run } from '../run/run.ts';

/** A run that works on more takes one more place for each so many bytes: in memory they are up to twenty times that. */
const bytesPerPlace = 128 * 1024;
const placesOf = ({ payloadBytes }: Pick<Run, 'payloadBytes'>): number =>
  1 + Math.floor(payloadBytes / bytesPerPlace);

/** What one run takes of the places. */
export interface Place {
  /** Takes as many as the run needs now. Where it needs more than one, and others have all, gives back what it had. */
  makeRoomFor(run: Pick<Run, 'payloadBytes'>): boolean;
  giveBack(): void;
}

/** How many runs a process works on at a time, and how many of them may be one account's. */
export class Slots {
  readonly max: number;
  readonly #taken = new Map<number, number>();
  #total = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Below zero where runs have come to work on more. */
  get free(): number {
    return this.max - this.#total;
  }

  /** Nobody takes all of them: whoever comes next finds one. */
  get maxPerAccount(): number {
    return Math.max(1, Math.floor(this.max * 0.75));
  }

  /** By account. */
  get taken(): ReadonlyMap<number, number> {
    return this.#taken;
  }

  /** Whether one more run of the account may be worked on, which leaves the others theirs. */
  hasRoomFor(accountId: number): boolean {
    return this.free > 0 && (this.#taken.get(accountId) ?? 0) < this.maxPerAccount;
  }

  /** For a run of the account; one of which nothing is known yet takes one. */
  take(accountId: number, run = { payloadBytes: 0 }): Place {
    let places = 0;
    const change = (to: number) => {
      this.#add(accountId, to - places);
      places = to;
    };
    change(placesOf(run));
    return {
      makeRoomFor: (now) => {
        change(0);
        const needed = placesOf(now);
        if (needed > 1 && !this.hasRoomFor(accountId)) return false;
        change(needed);
        return true;
      },
      giveBack: () => change(0),
    };
  }

  #add(accountId: number, places: number): void {
    this.#total += places;
    const taken = (this.#taken.get(accountId) ?? 0) + places;
    if (taken > 0) this.#taken.set(accountId, taken);
    else this.#taken.delete(accountId);
  }
}
