/** Lets one loop sleep until something happens; what happens while it works is not forgotten. */
export class WakeUp {
  #isPending = false;
  #wake: (() => void) | undefined;

  /** Ends the present `sleep`, or the next one before it begins. */
  call(): void {
    this.#isPending = true;
    this.#wake?.();
  }

  /** Resolves with true after a call, with false after `timeoutMs` without one. One sleeper at a time. */
  async sleep(timeoutMs: number): Promise<boolean> {
    if (!this.#isPending && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    const wasCalled = this.#isPending;
    this.#isPending = false;
    return wasCalled;
  }
}

/** Milliseconds to wait before attempt `failures + 1`: doubling from 50 ms to 5 s, at least half of it at random. */
export function backoffMs(failures: number, random = Math.random()): number {
  const full = Math.min(5000, 50 * 2 ** Math.min(failures - 1, 10));
  return full * (0.5 + random / 2);
}
