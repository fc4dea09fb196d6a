/** Look-ups of what can be destroyed while its answer is on the way. */
export class LookUps {
  #timesForgotten = 0;

  /** Whatever is still on the way may be of somebody who is erased: nobody gets it, nothing remembers it. */
  forget(): void {
    this.#timesForgotten += 1;
  }

  /** What `find` brings when nobody is forgotten meanwhile; it is asked again until then. `remember` gets it at once. */
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
