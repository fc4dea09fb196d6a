/** Where a process may die: at every step into and out of what it asks others for. */
export class CrashPoints {
  /** Processes die when so many more points were passed; never while null. */
  #left: number | null = null;
  /** Counts every point: work is over when it stands still. */
  passed = 0;

  arm(points: number | null): void {
    this.#left = points;
  }

  /** Whether the process dies here. */
  pass(): boolean {
    this.passed += 1;
    if (this.#left === null) return false;
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#left = null;
    return true;
  }
}

/** A process as its surroundings see it: once dead, nothing it waits for ever comes, and nobody hears of it. */
export class Process {
  readonly name: string;
  readonly #points: CrashPoints;
  readonly #shuffle: () => number;
  isDead = false;

  constructor(name: string, points: CrashPoints, shuffle: () => number) {
    this.name = name;
    this.#points = points;
    this.#shuffle = shuffle;
  }

  /** `ask`, with a possible death before it happens and one after. */
  reach<Args extends readonly unknown[], Result>(
    ask: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) => {
      await this.#point();
      const result = await ask(...args);
      await this.#point();
      return result;
    };
  }

  async #point(): Promise<void> {
    // Others get ahead of it now and then.
    for (let turns = this.#shuffle(); turns > 0; turns -= 1) await new Promise(setImmediate);
    if (!this.isDead && this.#points.pass()) this.isDead = true;
    if (this.isDead) await new Promise<never>(() => undefined);
  }
}
