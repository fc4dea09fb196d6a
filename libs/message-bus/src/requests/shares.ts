/**
 * A limit that owners (accounts) share without waiting: `take` says no when all is taken, or when one owner would
 * have more than its share, half by default. So one owner's load leaves room for the others.
 */
export class Shares<Owner = number> {
  readonly #max: number;
  readonly #maxPerOwner: number;
  readonly #taken = new Map<Owner | null, number>();
  #total = 0;

  constructor(max: number, maxPerOwner = Math.ceil(max / 2)) {
    this.#max = max;
    this.#maxPerOwner = maxPerOwner;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * How to give the places back, once; undefined when there are not so many for this owner. What is nobody's (`null`)
   * may have all.
   */
  take(owner: Owner | null, places = 1): (() => void) | undefined {
    const taken = (this.#taken.get(owner) ?? 0) + places;
    if (this.#total + places > this.#max || (owner !== null && taken > this.#maxPerOwner)) return undefined;
    this.#total += places;
    this.#taken.set(owner, taken);
    return () => this.#give(owner, places);
  }

  #give(owner: Owner | null, places: number): void {
    this.#total -= places;
    const left = (this.#taken.get(owner) ?? places) - places;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }
}
