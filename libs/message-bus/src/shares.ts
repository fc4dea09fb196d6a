/** Places that accounts share: no account can take all of them, so there is room for the others. */
export class Shares {
  readonly #max: number;
  readonly #maxPerAccount: number;
  readonly #taken = new Map<number | null, number>();
  #total = 0;

  constructor(max: number, maxPerAccount = Math.ceil(max / 2)) {
    this.#max = max;
    this.#maxPerAccount = maxPerAccount;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * How to give the places back, once; undefined when there are not so many for this account. What is nobody's (`null`)
   * may have all.
   */
  take(accountId: number | null, places = 1): (() => void) | undefined {
    const taken = (this.#taken.get(accountId) ?? 0) + places;
    if (this.#total + places > this.#max || (accountId !== null && taken > this.#maxPerAccount))
      return undefined;
    this.#total += places;
    this.#taken.set(accountId, taken);
    return () => this.#give(accountId, places);
  }

  #give(accountId: number | null, places: number): void {
    this.#total -= places;
    const left = (this.#taken.get(accountId) ?? places) - places;
    if (left > 0) this.#taken.set(accountId, left);
    else this.#taken.delete(accountId);
  }
}
