import { Shares } from '@parley/message-bus';

/** How many requests wait for services: beyond `max` a new one is refused at once instead of queueing up. */
export class WaitingRoom {
  readonly #max: number;
  /** Whatever one account asks for, and however slow that is, there is room for the others. */
  readonly #ofAccounts: Shares;
  /** However slow one service is, and whoever asks it: there is room for who asks the others. */
  readonly #ofServices: Shares<string>;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
    this.#ofAccounts = new Shares(max);
    // More than an account's: one alone is not to have all that there are for a service.
    this.#ofServices = new Shares(max, Math.ceil((max * 3) / 4));
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  /** How to leave, once; undefined when there is no room for the service or the account, `null` for what is nobody's. */
  enter(service: string, accountId: number | null): (() => void) | undefined {
    const leaveService = this.#ofServices.take(service);
    const leaveAccount = leaveService && this.#ofAccounts.take(accountId);
    if (!leaveAccount) {
      leaveService?.();
      return undefined;
    }
    return () => {
      leaveService();
      leaveAccount();
    };
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work;
    } finally {
      this.#count -= 1;
    }
  }
}
