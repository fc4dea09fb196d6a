import type { AssistantSettings } from '@parley/contracts';
import type { MessageContext } from '@parley/message-bus';
import { accountOf } from '@parley/service-kit';
import type { OwnReferences } from '../views/organisers/own-references.ts';
import { type Facts, numberToCheck, referencesOf } from './facts.ts';
import type { PhoneNumbers } from './numbers/phone-numbers.ts';

/** Looks up what a decision about an assistant's settings has to know. */
export class FactFinder {
  readonly #references: OwnReferences;
  readonly #numbers: PhoneNumbers;
  readonly #urlFault: Facts['urlFault'];

  constructor(references: OwnReferences, numbers: PhoneNumbers, urlFault: Facts['urlFault']) {
    this.#references = references;
    this.#numbers = numbers;
    this.#urlFault = urlFault;
  }

  async find(
    message: MessageContext,
    before: AssistantSettings | null,
    after: AssistantSettings,
  ): Promise<Facts> {
    const wanted = [...(before ? referencesOf(before) : []), ...referencesOf(after)];
    const numberId = numberToCheck(before, after);
    const [isOwn, number] = await Promise.all([
      this.#references(accountOf(message), wanted),
      numberId === null ? ('unchecked' as const) : this.#numbers.find(message, numberId),
    ]);
    return { isOwn, number, urlFault: this.#urlFault };
  }
}
