import type { Logger } from '@parley/process-kit';

/** What was opened, closed in the opposite order; one that fails to close does not keep the others open. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];
  readonly #logger: Logger;
  readonly #closing = new AbortController();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Aborts as soon as closing begins. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.#logger.error({ err: error }, 'could not be closed');
      }
    }
  }
}
