import { Shares } from '@parley/message-bus';

/** Counts the requests that wait for services: beyond `max` a new one is refused at once instead of being queued. */
export class WaitingRoom {
  readonly #max: number;
  /** Three quarters: more than one account may have, so that no account alone takes all places of a service. */
  readonly maxPerService: number;
  /** Keeps one account from taking all places. */
  readonly #ofAccounts: Shares;
  /** Keeps the requests to one slow service from taking all places. */
  readonly #ofServices: Shares<string>;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
    this.#ofAccounts = new Shares(max);
    this.maxPerService = Math.ceil((max * 3) / 4);
    this.#ofServices = new Shares(max, this.maxPerService);
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  /**
   * Takes a place; returns the function that gives it back, to be called once, or undefined when the service or the
   * account has no place left. `accountId` is `null` for requests of no account.
   */
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
