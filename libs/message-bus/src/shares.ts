/** Places of which no account has all: whoever else comes finds one. */
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

  /** How to give the place back, once; undefined when there is none for this account. What is nobody's may have all. */
  take(accountId: number | null): (() => void) | undefined {
    const taken = this.#taken.get(accountId) ?? 0;
    if (this.#total >= this.#max || (accountId !== null && taken >= this.#maxPerAccount)) return undefined;
    this.#total += 1;
    this.#taken.set(accountId, taken + 1);
    return () => this.#give(accountId);
  }

  #give(accountId: number | null): void {
    this.#total -= 1;
    const left = (this.#taken.get(accountId) ?? 1) - 1;
    if (left > 0) this.#taken.set(accountId, left);
    else this.#taken.delete(accountId);
  }
}
