import { backoffMs } from '../outages/backoff.ts';

interface Failure {
  readonly attempts: number;
  /** On Node's monotonic clock. */
  readonly retryAt: number;
}

const firstBackoffMs = 100;
const longestBackoffMs = 60_000;

/**
 * What failed in this process, by id, with the time of its next attempt: pauses double from 100 ms to a minute.
 * Nothing is ever given up, and nothing else waits for it.
 */
export class Parked {
  readonly #failures = new Map<string, Failure>();

  /** Notes one more failure; returns how many there were in a row. */
  failed(id: string): number {
    const attempts = (this.#failures.get(id)?.attempts ?? 0) + 1;
    const retryAt = performance.now() + backoffMs(attempts, firstBackoffMs, longestBackoffMs);
    this.#failures.set(id, { attempts, retryAt });
    return attempts;
  }

  done(id: string): void {
    this.#failures.delete(id);
  }

  /** Ids whose next attempt is not due yet. Forgets those that nobody tried again for a minute: they are gone. */
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
