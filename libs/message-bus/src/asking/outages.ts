interface Outage {
  readonly since: number;
  /** When a request met it last. */
  readonly metAt: number;
}

/** After so many milliseconds without a request that met the outage, the next one counts as a new outage. */
const forgottenAfterMs = 10_000;

/**
 * Remembers, by subject, since when requests meet an outage. A request that meets a young one waits for its end,
 * since a restart of a process or of Postgres takes a second or two; one that lasts longer is answered at once.
 */
export class Outages {
  readonly #patienceMs: number;
  /** By subject; there are as many as messages in the contracts, so the map stays small. */
  readonly #outages = new Map<string, Outage>();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /**
   * Notes that a request has met an outage; returns until when it is worth waiting for the end, in the time of
   * `performance.now()`.
   */
  met(subject: string): number {
    const now = performance.now();
    const known = this.#outages.get(subject);
    const since = known && now - known.metAt < forgottenAfterMs ? known.since : now;
    this.#outages.set(subject, { since, metAt: now });
    return since + this.#patienceMs;
  }

  /** Notes that a request has been answered without an outage. */
  isOver(subject: string): void {
    this.#outages.delete(subject);
  }
}
