import { setTimeout as sleep } from 'node:timers/promises';

/** How often a writer that lost a race tries again at the least, however long that takes. */
const leastRetries = 3;
/** For how long it goes on. Another process finishes a run of some hundred appends to one stream in that time. */
const racingMs = 5_000;

/** Others write a stream without pause, for longer than was waited: the same work succeeds later. */
export class Contended extends Error {
  override readonly name = 'Contended';
}

/**
 * What one append has lost to writers in other processes. Whoever won writes the next event while the loser reads
 * the last one, so later tries leave it time to finish its run.
 */
export class LostRaces {
  readonly #racingMs: number;
  readonly #since = performance.now();
  #count = 0;

  constructor(forMs = racingMs) {
    this.#racingMs = forMs;
  }

  /** Waits for the turn to try again; false when it is time to give up. */
  async mayRetry(): Promise<boolean> {
    this.#count += 1;
    if (this.#count > leastRetries && performance.now() - this.#since >= this.#racingMs) return false;
    if (this.#count > 1) await sleep(Math.random() * Math.min(5 * 4 ** this.#count, 300));
    return true;
  }
}
