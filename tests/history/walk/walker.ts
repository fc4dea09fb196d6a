import type { Answer, Api } from '../../support/api.ts';
import type { ChatAccount } from '../../support/chat.ts';
import { freshCustomerNumber } from '../../support/chat-platform.ts';

export type Kind =
  | 'api-key'
  | 'assistant'
  | 'automation'
  | 'call'
  | 'campaign'
  | 'connection'
  | 'conversation'
  | 'folder'
  | 'knowledgebase'
  | 'label'
  | 'lead'
  | 'sip-trunk';

/** Of what each account has one. */
const singles = ['account', 'balance', 'payment-method', 'voice-webhook'];

const names = ['Ada', ' Zoë ', '日本', '🏢', 'x"y\\z', '<b>', "O'Neil", '%s', '0', 'a'.repeat(50)];

/** An account to which things are done at random, and what it has had so far. */
export class Walker {
  readonly api: Api;
  readonly chat: ChatAccount;
  readonly customers = Array.from({ length: 4 }, freshCustomerNumber);
  readonly #random: () => number;
  readonly #ids = new Map<Kind, (number | string)[]>();

  constructor(chat: ChatAccount, random: () => number) {
    this.api = chat.api;
    this.chat = chat;
    this.#random = random;
  }

  /** An integer from 0 up to `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(of: readonly [T, ...T[]] | readonly T[]): T {
    const picked = of[this.below(of.length)];
    if (picked === undefined) throw new Error('There is nothing to pick.');
    return picked;
  }

  /** One that others may have as well, or one of its own. */
  name(): string {
    return this.pick(names) + (this.chance(0.5) ? String(this.below(1_000_000)) : '');
  }

  /** All that were made of a kind; some are deleted by now. */
  made(kind: Kind): readonly (number | string)[] {
    return this.#ids.get(kind) ?? [];
  }

  /** One of them, or one that nobody has. */
  some(kind: Kind): number | string {
    const made = this.made(kind);
    return made.length > 0 ? this.pick(made) : 999_999_999;
  }

  /** The history's name of something that the account has had. */
  resource(): string {
    const kinds = this.#kindsWithHistory();
    if (kinds.length === 0 || this.chance(0.1)) return this.pick(singles);
    const kind = this.pick(kinds);
    return `${kind}/${this.some(kind)}`;
  }

  /** The names of all that it has had. */
  resources(): readonly string[] {
    const owned = this.#kindsWithHistory();
    return [...singles, ...owned.flatMap((kind) => this.made(kind).map((id) => `${kind}/${id}`))];
  }

  /** Conversations are known here by their `uuid`, which is not the number that histories know them by. */
  #kindsWithHistory(): readonly Kind[] {
    return [...this.#ids.keys()].filter((kind) => kind !== 'conversation');
  }

  /** Asks for one more of a kind, which may be refused; `idOf` reads its id from the answer. */
  async make(
    kind: Kind,
    path: string,
    body: object,
    idOf: (body: unknown) => number | string = numberedId,
  ): Promise<Answer> {
    const answer = await this.api.post(path, body);
    if (answer.status < 300) {
      const ids = this.#ids.get(kind) ?? [];
      this.#ids.set(kind, [...new Set([...ids, idOf(answer.body)])]);
    }
    return answer;
  }
}

const numberedId = (body: unknown): number => (body as { data: { id: number } }).data.id;
