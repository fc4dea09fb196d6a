/** How many runs a process works on at a time, and how many of them may be one account's. */
export class Slots {
  readonly max: number;
  readonly #taken = new Map<number, number>();
  #total = 0;

  constructor(max: number) {
    this.max = max;
  }

  get free(): number {
    return this.max - this.#total;
  }

  /** Nobody takes all of them: whoever comes next finds one. */
  get maxPerAccount(): number {
    return Math.max(1, Math.floor(this.max * 0.75));
  }

  /** By account. */
  get taken(): ReadonlyMap<number, number> {
    return this.#taken;
  }

  /** Whether one more run of the account may be worked on, which leaves the others theirs. */
  hasRoomFor(accountId: number): boolean {
    return this.free > 0 && (this.#taken.get(accountId) ?? 0) < this.maxPerAccount;
  }

  take(accountId: number): void {
    this.#total += 1;
    this.#taken.set(accountId, (this.#taken.get(accountId) ?? 0) + 1);
  }

  give(accountId: number): void {
    this.#total -= 1;
    const left = (this.#taken.get(accountId) ?? 1) - 1;
    if (left > 0) this.#taken.set(accountId, left);
    else this.#taken.delete(accountId);
  }
}
