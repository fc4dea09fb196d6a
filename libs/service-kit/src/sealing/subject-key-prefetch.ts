import type { SubjectKeys } from './subject-keys.ts';

/**
 * Looks up the keys of people whom an append is about to mention, while other things are waited for. Only a hint: an
 * append looks up what it needs itself. Missing keys are made, so only people of whom something will be on record are
 * looked up.
 */
export class SubjectKeyPrefetch {
  readonly #keys: SubjectKeys;

  constructor(keys: SubjectKeys) {
    this.#keys = keys;
  }

  /** Numbers in E.164. Resolves when the keys are known, or could not be; never rejects. */
  async prefetch(accountId: number, numbers: readonly string[]): Promise<void> {
    await Promise.allSettled(numbers.map((number) => this.#keys.of(accountId, number)));
  }
}
