import { fromMicroseconds, toMicroseconds } from '../../microseconds.ts';
import type { PreparedAppend } from '../../prepare-append.ts';
import type { BatchOutcome, Foretold } from './batch-outcome.ts';

/** So long after an answer the database's clock can be told from it; milliseconds. */
const clockHoldsMs = 5_000;
/** Clocks part by less. */
const driftMicrosPerMs = 1;
/** What is told further behind the database's clock it does not take. */
const mostBehindMicros = 250_000;
const longestRest = 64;

/**
 * Foretells the answers to a writer's appends from the answers before. Times are of this process's monotonic clock, in
 * milliseconds: it only measures what has passed, and the database takes no time that is far from its own clock.
 */
export class Forecast {
  #last: { readonly head: number; readonly recordedAt: number; readonly sentAt: number } | undefined;
  /** Microseconds from the process's clock to the database's. */
  #ahead = Number.POSITIVE_INFINITY;
  #misses = 0;
  /** So many batches are not foretold: where others append too, or much is refused, it would be in vain. */
  #rest = 0;

  tell(batch: readonly PreparedAppend[], now: number): Foretold | undefined {
    if (this.#rest > 0) {
      this.#rest -= 1;
      return undefined;
    }
    const last = this.#last;
    if (!last || now - last.sentAt > clockHoldsMs) return undefined;
    const versions: number[] = [];
    for (const { request } of batch) {
      if (request.expectedVersion === 'any') return undefined;
      versions.push(request.expectedVersion);
    }
    const recordedAt = Math.max(last.recordedAt + 1, Math.floor(now * 1000 + this.#ahead));
    return { previousHead: last.head, recordedAt: fromMicroseconds(recordedAt), versions };
  }

  /**
   * Learns from what was written. Its clock was read some time after it was sent: the answer that took the least time
   * on the way tells best, so a foretold time is hardly ever ahead of what the clock says when it arrives. A clock that
   * is further ahead than that was moved, or this process stood still with its own: the answers before tell no more.
   */
  learn({ newHead, previousHead, recordedAt, clock }: BatchOutcome, sentAt: number): void {
    const elapsed = sentAt - (this.#last?.sentAt ?? sentAt);
    const told = toMicroseconds(clock) - sentAt * 1000;
    const held = this.#ahead + elapsed * driftMicrosPerMs;
    this.#ahead = told - held > mostBehindMicros ? told : Math.min(told, held);
    this.#last = { head: newHead ?? previousHead, recordedAt: toMicroseconds(recordedAt), sentAt };
  }

  cameTrue(): void {
    this.#misses = 0;
  }

  /** Perhaps the clock was moved: it is learned anew. */
  failed(): void {
    this.#misses += 1;
    this.#rest = Math.min(2 ** this.#misses, longestRest);
    this.#last = undefined;
    this.#ahead = Number.POSITIVE_INFINITY;
  }
}
