/** An item of a log whose positions are dense: 1, 2, 3 … without gaps. */
interface Positioned {
  readonly position: number;
}

/**
 * Restores the log's order of items that arrive repeatedly and in any order: `add` what arrived, `take` what follows without
 * a gap. Where `hasGap` says that the next item is missing, the caller reads it from the log and adds it. Items that come in
 * order, as nearly all do, pass through without a look-up.
 */
export class InOrderBuffer<T extends Positioned> {
  readonly #maxKept: number;
  /** In order, without a gap behind the last item taken. */
  #next: T[] = [];
  /** Items behind a gap, by position. */
  readonly #early = new Map<number, T>();
  /** Position of the last item of `#next`; of the last item taken when that is empty. */
  #end: number;
  /** The highest position of an item that was dropped for want of room. */
  #droppedUpTo = 0;

  /**
   * Begins behind the position `after`. Keeps at most `maxKept` items: what comes beyond that is dropped and found missing in
   * its turn. Items behind a gap do not count against the one that fills it, which is always kept.
   */
  constructor(after: number, maxKept = 10_000) {
    this.#end = after;
    this.#maxKept = maxKept;
  }

  /** Position of the last item taken. */
  get position(): number {
    return this.#end - this.#next.length;
  }

  /** Whether later items are known, or were dropped, and the next one is missing. */
  get hasGap(): boolean {
    return this.#next.length === 0 && (this.#early.size > 0 || this.#droppedUpTo > this.#end);
  }

  /** Items of positions that are known already are ignored. */
  add(items: readonly T[]): void {
    for (const item of items) {
      const { position } = item;
      if (position <= this.#end) continue;
      const isNext = position === this.#end + 1;
      const kept = this.#next.length + (isNext ? 0 : this.#early.size);
      if (kept >= this.#maxKept) this.#droppedUpTo = Math.max(this.#droppedUpTo, position);
      else if (isNext) {
        this.#goOnWith(item);
        this.#closeGap();
      } else this.#early.set(position, item);
    }
  }

  /** Removes and returns the next items, at most `limit` of them and up to the first gap. */
  take(limit: number): T[] {
    if (this.#next.length > limit) return this.#next.splice(0, limit);
    const taken = this.#next;
    this.#next = [];
    return taken;
  }

  /** Goes on behind a position: the caller has everything up to it from elsewhere. */
  skipTo(position: number): void {
    if (position <= this.position) return;
    this.#next = this.#next.filter((item) => item.position > position);
    this.#end = Math.max(this.#end, position);
    for (const early of this.#early.keys()) if (early <= position) this.#early.delete(early);
    this.#closeGap();
  }

  /** Forgets the items behind a gap, and that any were dropped. */
  forgetEarly(): void {
    this.#early.clear();
    this.#droppedUpTo = 0;
  }

  #goOnWith(item: T): void {
    this.#next.push(item);
    this.#end = item.position;
  }

  #closeGap(): void {
    for (let item = this.#early.get(this.#end + 1); item; item = this.#early.get(this.#end + 1)) {
      this.#early.delete(item.position);
      this.#goOnWith(item);
    }
  }
}
