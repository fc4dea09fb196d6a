export interface FairSemaphoreOptions {
  /** Holders over all keys at a time; unbounded when absent. */
  readonly max?: number;
  /** Holders of one key at a time. */
  readonly maxPerKey: number;
}

/**
 * An asynchronous semaphore with a limit for all holders and one for those of each key. A place that becomes free goes to the
 * keys in turn, and within a key in the order of arrival, so that no key with many waiters starves the others.
 */
export class FairSemaphore<Key = string> {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #taken = new Map<Key, number>();
  #total = 0;
  /** Waiters by key, first the key whose turn it is; a key without waiters is removed. */
  readonly #waiting = new Map<Key, (() => void)[]>();

  constructor({ max = Number.POSITIVE_INFINITY, maxPerKey }: FairSemaphoreOptions) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
  }

  /** Resolves, once there is a place, with the function that releases it; rejects when the signal aborts before. */
  async acquire(key: Key, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#isFree(key)) this.#count(key, 1);
    else await this.#wait(key, signal);
    return () => {
      this.#count(key, -1);
      this.#admitNext();
    };
  }

  #wait(key: Key, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, line);
      const onTurn = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        line.splice(line.indexOf(onTurn), 1);
        if (line.length === 0) this.#waiting.delete(key);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      line.push(onTurn);
    });
  }

  /** Hands a released place to the first key in turn that is below its own limit, and puts that key behind all others. */
  #admitNext(): void {
    for (const [key, line] of this.#waiting) {
      if (!this.#isFree(key)) continue;
      this.#waiting.delete(key);
      const onTurn = line.shift();
      if (line.length > 0) this.#waiting.set(key, line);
      this.#count(key, 1);
      onTurn?.();
      return;
    }
  }

  #isFree(key: Key): boolean {
    return this.#total < this.#max && (this.#taken.get(key) ?? 0) < this.#maxPerKey;
  }

  #count(key: Key, change: number): void {
    this.#total += change;
    const taken = (this.#taken.get(key) ?? 0) + change;
    if (taken > 0) this.#taken.set(key, taken);
    else this.#taken.delete(key);
  }
}
