import { Shares } from '@parley/message-bus';

/** How many requests wait for services: beyond `max` a new one is refused at once instead of queueing up. */
export class WaitingRoom {
  readonly #max: number;
  /** Whatever one account asks for, and however slow that is, there is room for the others. */
  readonly #shares: Shares;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
    this.#shares = new Shares(max);
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  /** How to leave, once; undefined when there is no room for the account. */
  enter(accountId: number): (() => void) | undefined {
    return this.#shares.take(accountId);
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
