/** What has a place in a log whose positions are dense. */
interface Positioned {
  readonly position: number;
}

/**
 * Puts what comes twice or in any order back into the log's order. Positions are dense, so a gap is seen at once; what
 * is missing can be read from the log and added. Nearly everything comes in order, and is passed through as it is.
 */
export class InOrderBuffer<T extends Positioned> {
  readonly #maxKept: number;
  /** Follows the last position taken out without a gap. */
  #next: T[] = [];
  /** Behind a gap, by position. */
  readonly #early = new Map<number, T>();
  /** Of the last of `#next`, or taken out last. */
  #end: number;
  /** Up to here there is something that was dropped. */
  #droppedUpTo = 0;

  /**
   * `after`: where to begin. Beyond `maxKept` whatever comes is dropped, and is found missing in its turn; so is what comes
   * behind a gap while as much is there, but never what fills the gap.
   */
  constructor(after: number, maxKept = 10_000) {
    this.#end = after;
    this.#maxKept = maxKept;
  }

  /** The last position taken out. */
  get position(): number {
    return this.#end - this.#next.length;
  }

  /** Something is there, or was dropped, but not what comes next. */
  get hasGap(): boolean {
    return this.#next.length === 0 && (this.#early.size > 0 || this.#droppedUpTo > this.#end);
  }

  /** Known positions are ignored. */
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

  /** Takes out at most `limit` that follow the last position without a gap. */
  take(limit: number): T[] {
    if (this.#next.length > limit) return this.#next.splice(0, limit);
    const taken = this.#next;
    this.#next = [];
    return taken;
  }

  /** Everything up to there is known from elsewhere. */
  skipTo(position: number): void {
    if (position <= this.position) return;
    this.#next = this.#next.filter((item) => item.position > position);
    this.#end = Math.max(this.#end, position);
    for (const early of this.#early.keys()) if (early <= position) this.#early.delete(early);
    this.#closeGap();
  }

  /** Forgets what lies, or was dropped, behind a gap. */
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
