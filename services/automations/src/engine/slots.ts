import type { Run } from '../run/run.ts';

/**
 * A run takes one place, and one more for each so many bytes of payloads: in memory they take up to twenty times that.
 */
const bytesPerPlace = 128 * 1024;
const placesOf = ({ payloadBytes }: Pick<Run, 'payloadBytes'>): number =>
  1 + Math.floor(payloadBytes / bytesPerPlace);

/** The places that one run has taken. */
export interface Place {
  /**
   * Takes as many places as the run needs now. Where it needs more than one and the account may take none, gives back
   * what it had and returns false.
   */
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

  /** Below zero where running runs have come to need more places. */
  get free(): number {
    return this.max - this.#total;
  }

  /** Less than all (unless there is only one), so that an account always leaves places for others. */
  get maxPerAccount(): number {
    return Math.max(1, Math.floor(this.max * 0.75));
  }

  /** Places taken, by account id. */
  get taken(): ReadonlyMap<number, number> {
    return this.#taken;
  }

  /** Whether the account may take one more place: one is free, and the account's share is not used up. */
  hasRoomFor(accountId: number): boolean {
    return this.free > 0 && (this.#taken.get(accountId) ?? 0) < this.maxPerAccount;
  }

  /** Takes places for a run of the account, in any case: one where nothing is known of its payloads yet. */
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
