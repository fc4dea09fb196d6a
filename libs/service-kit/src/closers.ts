import type { Logger } from '@parley/process-kit';

/** What was opened, closed in the opposite order; one that fails to close does not keep the others open. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.#logger.error({ err: error }, 'could not be closed');
      }
    }
  }
}
