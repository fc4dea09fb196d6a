/**
 * A sleep that `wake` cuts short, for one sleeper at a time. No wake-up is lost: one that comes while nobody sleeps ends the
 * next sleep at once.
 */
export class Nap {
  #isWoken = false;
  #end: (() => void) | undefined;

  /** The abort of `signal` is a wake-up. */
  constructor(signal?: AbortSignal) {
    signal?.addEventListener('abort', () => this.wake(), { once: true });
  }

  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Resolves with `true` when woken, with `false` after `ms`. */
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
