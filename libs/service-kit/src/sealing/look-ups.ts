/** Look-ups whose answers an erasure may make invalid while they are on the way. */
export class LookUps {
  #timesForgotten = 0;

  /** Somebody was erased: answers that are on the way now may still know the person, and are thrown away. */
  forget(): void {
    this.#timesForgotten += 1;
  }

  /**
   * Calls `find`, again where somebody was erased meanwhile; `remember` gets a valid answer at once, before any other
   * erasure.
   */
  async run<T>(find: () => Promise<T>, remember: (found: T) => void): Promise<T> {
    for (;;) {
      const before = this.#timesForgotten;
      const found = await find();
      if (before !== this.#timesForgotten) continue;
      remember(found);
      return found;
    }
  }
}
