import type { JsonValue } from '../json.ts';

/** The largest event that is usual in shape holds a fiftieth of it, the densest an eighth. */
const maxValues = 2_000_000;
/** Of a text, so many characters count as one value more. */
const charactersPerValue = 64;

/**
 * How many values may be looked at in one go, all looks together: nobody else is served meanwhile. Each look may be
 * short, but a definition has room for thousands of them.
 */
export class Effort {
  #left: number;

  constructor(left: number = maxValues) {
    this.#left = left;
  }

  /** Counts everything that a value holds; false once all of it together is too much. */
  spend(on: JsonValue | undefined): boolean {
    if (this.#left < 0) return false;
    this.#left -= 1;
    if (typeof on === 'string') this.#left -= on.length / charactersPerValue;
    else if (typeof on === 'object' && on !== null)
      for (const child of Object.values(on)) if (!this.spend(child)) return false;
    return this.#left >= 0;
  }
}
