import { backoffMs } from '../outages/backoff.ts';

interface Failure {
  readonly attempts: number;
  /** On Node's monotonic clock. */
  readonly retryAt: number;
}

const firstBackoffMs = 100;
const longestBackoffMs = 60_000;

/** What failed here, and is tried again after a pause that grows: it is never given up, and holds up nothing else. */
export class Parked {
  readonly #failures = new Map<string, Failure>();

  /** Notes a failure; how many there were. */
  failed(id: string): number {
    const attempts = (this.#failures.get(id)?.attempts ?? 0) + 1;
    const retryAt = performance.now() + backoffMs(attempts, firstBackoffMs, longestBackoffMs);
    this.#failures.set(id, { attempts, retryAt });
    return attempts;
  }

  done(id: string): void {
    this.#failures.delete(id);
  }

  /** Those whose next attempt is not due yet; forgets those that are gone meanwhile. */
  waiting(): string[] {
    const now = performance.now();
    for (const [id, { retryAt }] of this.#failures)
      if (retryAt < now - longestBackoffMs) this.#failures.delete(id);
    return [...this.#failures].flatMap(([id, { retryAt }]) => (retryAt > now ? [id] : []));
  }

  /** Milliseconds until the next attempt; infinite when nothing waits. */
  nextMs(): number {
    const now = performance.now();
    const left = [...this.#failures.values()].map(({ retryAt }) => retryAt - now).filter((ms) => ms > 0);
    return Math.min(...left);
  }
}
