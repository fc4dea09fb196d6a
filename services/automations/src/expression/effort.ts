import type { JsonValue } from '../json.ts';

/** The largest event that is usual in shape holds a fiftieth of it, the densest an eighth. */
const maxValues = 2_000_000;
/** Of a text, so many characters count as one value more. */
const charactersPerValue = 64;

/**
 * How much may be looked at while something is worked out. Whatever is worked out in one go has one of these together,
 * for nobody else is served meanwhile: each look may be short, and a definition has room for thousands of them.
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
