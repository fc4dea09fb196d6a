/** Tries beside silent ones that are allowed in any case. */
const always = 16;

/**
 * Limits how many tries a process makes beside silent ones ("hedges"): `always`, or half as many as requests are
 * under way. After the death of a copy that is enough for its requests; where everything is slow, as when Postgres
 * is overloaded, more tries would only add to the load.
 */
export class Hedges {
  #requests = 0;
  #hedges = 0;

  begin(): void {
    this.#requests += 1;
  }

  /** Takes a place for one more try, until `giveBack` or the end of its request; false when there is none. */
  take(): boolean {
    if (this.#hedges >= Math.max(always, this.#requests / 2)) return false;
    this.#hedges += 1;
    return true;
  }

  giveBack(): void {
    this.#hedges -= 1;
  }

  /** A request has ended, with this many such tries still without a reply. */
  end(hedges: number): void {
    this.#requests -= 1;
    this.#hedges -= hedges;
  }
}
