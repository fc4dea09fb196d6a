/** Runs pieces of work beside each other, at most `max` at once and never two of one key at a time. */
export class BoundedWork {
  readonly #max: number;
  readonly #onError: (error: unknown, key: string) => void;
  readonly #waiting = new Map<string, () => Promise<void>>();
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(max: number, onError: (error: unknown, key: string) => void) {
    this.#max = max;
    this.#onError = onError;
  }

  /** Takes the place of what waits under the same key; while that runs, it may be wanted once more. */
  add(key: string, work: () => Promise<void>): void {
    if (this.#isClosed) return;
    this.#waiting.set(key, work);
    this.#startNext();
  }

  /** Forgets what waits; resolves when what runs is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #startNext(): void {
    for (const [key, work] of this.#waiting) {
      if (this.#running.size >= this.#max) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.set(key, this.#run(key, work));
    }
  }

  async #run(key: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(error, key);
    } finally {
      this.#running.delete(key);
      this.#startNext();
    }
  }
}
