export interface PlacesOptions {
  /** Of all keys together; no bound when absent. */
  readonly max?: number;
  readonly maxPerKey: number;
}

/** So many at a time, and so many of each key; who comes later waits. Keys take turns, each in the order of arrival. */
export class Places<Key = string> {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #taken = new Map<Key, number>();
  #total = 0;
  /** None is empty; first the key whose turn it is. */
  readonly #waiting = new Map<Key, (() => void)[]>();

  constructor({ max = Number.POSITIVE_INFINITY, maxPerKey }: PlacesOptions) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
  }

  /** Resolves with how to give the place back; rejects when the signal aborts first. */
  async take(key: Key, signal?: AbortSignal): Promise<() => void> {
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

  /** The place that was given back goes to the first who may have it; that key's next waits for all others. */
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
