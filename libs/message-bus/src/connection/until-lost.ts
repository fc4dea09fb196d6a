import type { NatsConnection } from './connection.ts';
import { watchConnection } from './connection-watch.ts';

/**
 * Waits for an answer of JetStream, one at a time, but no longer than the connection lasts: what was asked over a
 * lost connection is never answered. Whether it was stored nevertheless, the tail of the stream tells.
 */
export class UntilLost {
  readonly #stopWatching: () => void;
  #isDown = false;
  #reject: ((error: Error) => void) | undefined;

  /** `onBack`: called when the connection is there again; the server may have lost what it had stored. */
  constructor(connection: NatsConnection, onBack: () => void) {
    this.#stopWatching = watchConnection(connection, {
      onLost: () => this.#lose(),
      onBack: () => {
        this.#isDown = false;
        onBack();
      },
      onClosed: () => this.#lose(),
    });
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  throwIfDown(): void {
    if (this.#isDown) throw connectionLost();
  }

  /** Settles as `work` does; rejects when the connection is lost before, or was already. */
  async wait<T>(work: Promise<T>): Promise<T> {
    // Each has a promise of its own: one of the connection's would hold whatever was ever raced against it, for weeks.
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    work.then(resolve, reject);
    this.#reject = reject;
    if (this.#isDown) this.#lose();
    try {
      return await promise;
    } finally {
      this.#reject = undefined;
    }
  }

  stopWatching(): void {
    this.#stopWatching();
  }

  #lose(): void {
    this.#isDown = true;
    this.#reject?.(connectionLost());
  }
}

const connectionLost = () => new Error('The connection to NATS was lost.');
