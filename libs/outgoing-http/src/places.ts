/** At most `max` at a time for each key; who comes later waits in line. */
export class Places {
  readonly #max: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves with how to give the place back; rejects when the signal aborts first. */
  async take(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const taken = this.#taken.get(key) ?? 0;
    if (taken < this.#max) this.#taken.set(key, taken + 1);
    else await this.#wait(key, signal);
    return () => this.#giveBack(key);
  }

  #wait(key: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, line);
      const onTurn = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        line.splice(line.indexOf(onTurn), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      line.push(onTurn);
    });
  }

  /** The place goes to the next in line, or is free. */
  #giveBack(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next) {
      next();
      return;
    }
    this.#waiting.delete(key);
    const taken = this.#taken.get(key) ?? 0;
    if (taken > 1) this.#taken.set(key, taken - 1);
    else this.#taken.delete(key);
  }
}
