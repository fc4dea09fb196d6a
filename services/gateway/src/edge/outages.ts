interface Outage {
  readonly since: number;
  /** When it was met last. */
  readonly metAt: number;
}

/** Of an outage that nobody has met for so long nobody knows whether it is the same one. */
const forgottenAfterMs = 10_000;

/**
 * Since when requests meet outages, by their subject: who meets a young one waits for its end, as the restart of a
 * process or of Postgres takes a second or two; of one that lasts everybody is told at once.
 */
export class Outages {
  readonly #patienceMs: number;
  /** Subjects are constants, and so they are few. */
  readonly #outages = new Map<string, Outage>();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** A request has met one. Until when it is worth waiting for its end, of the process's monotonic clock. */
  met(subject: string): number {
    const now = performance.now();
    const known = this.#outages.get(subject);
    const since = known && now - known.metAt < forgottenAfterMs ? known.since : now;
    this.#outages.set(subject, { since, metAt: now });
    return since + this.#patienceMs;
  }

  /** A request has met none. */
  isOver(subject: string): void {
    this.#outages.delete(subject);
  }
}
