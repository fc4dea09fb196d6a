import type { JsonValue } from '../json.ts';

/**
 * How many values may be looked at in one go. The largest event of a usual shape holds a fiftieth of that, the densest
 * an eighth.
 */
const maxValues = 2_000_000;
/** How many characters of a text count as one more value. */
const charactersPerValue = 64;

/**
 * Limits how many values expressions look at in one go, all looks together, because the process serves nobody else
 * meanwhile. Each look may be short, but a definition has room for thousands of them.
 */
export class Effort {
  #left: number;

  constructor(left: number = maxValues) {
    this.#left = left;
  }

  /** Counts everything that a value holds; false once the total is too much. */
  spend(on: JsonValue | undefined): boolean {
    if (this.#left < 0) return false;
    this.#left -= 1;
    if (typeof on === 'string') this.#left -= on.length / charactersPerValue;
    else if (typeof on === 'object' && on !== null)
      for (const child of Object.values(on)) if (!this.spend(child)) return false;
    return this.#left >= 0;
  }
}
