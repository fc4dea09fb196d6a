import type { SubjectKeys } from './subject-keys.ts';

/**
 * Looks up the keys of people who are about to be written of, while other things are waited for. Only ever a hint: an
 * append looks up what it needs itself. A key is made for whoever has none, so only those are met of whom something will
 * be on record.
 */
export class Acquaintances {
  readonly #keys: SubjectKeys;

  constructor(keys: SubjectKeys) {
    this.#keys = keys;
  }

  /** Numbers in E.164. Resolves when the keys are known, or could not be; never rejects. */
  async meet(accountId: number, numbers: readonly string[]): Promise<void> {
    await Promise.allSettled(numbers.map((number) => this.#keys.of(accountId, number)));
  }
}
