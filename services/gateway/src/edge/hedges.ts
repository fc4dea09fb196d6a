/** So many may be made whatever else goes on. */
const always = 16;

/**
 * How many tries are made beside others that give no answer: beyond a few at most half as many as requests are under way.
 * After the death of a copy that is enough for its requests; where everything is slow, as Postgres is when it has too much
 * to do, asking everything several times would only give it more.
 */
export class Hedges {
  #requests = 0;
  #hedges = 0;

  begin(): void {
    this.#requests += 1;
  }

  /** Whether one more may be made now: until it is answered, or its request ends. */
  take(): boolean {
    if (this.#hedges >= Math.max(always, this.#requests / 2)) return false;
    this.#hedges += 1;
    return true;
  }

  giveBack(): void {
    this.#hedges -= 1;
  }

  /** Of a request, with so many that nothing was heard of. */
  end(hedges: number): void {
    this.#requests -= 1;
    this.#hedges -= hedges;
  }
}
