/** A sleep that can be cut short, of one sleeper at a time; a wake-up that comes while awake cuts the next sleep short. */
export class Nap {
  #isWoken = false;
  #end: (() => void) | undefined;

  /** When `signal` aborts, it wakes. */
  constructor(signal?: AbortSignal) {
    signal?.addEventListener('abort', () => this.wake(), { once: true });
  }

  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Resolves after `ms`, or when woken: then with `true`. */
  async sleep(ms: number): Promise<boolean> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#end = undefined;
    }
    const wasWoken = this.#isWoken;
    this.#isWoken = false;
    return wasWoken;
  }
}
