import { listenToAccounts, type NatsConnection } from '@parley/message-bus';

type Wake = () => void;

/** Wakes the feeds of an account when it has a new event; listens to the bus only while there are feeds. */
export class AccountWakes {
  readonly #connection: NatsConnection;
  readonly #wakes = new Map<number, Set<Wake>>();
  #stopListening: (() => void) | undefined;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
  }

  /** Calls `wake` until the returned function is called. */
  add(accountId: number, wake: Wake): () => void {
    const wakes = this.#wakes.get(accountId) ?? new Set();
    this.#wakes.set(accountId, wakes.add(wake));
    this.#stopListening ??= this.#listen();
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0) this.#wakes.delete(accountId);
      if (this.#wakes.size > 0) return;
      this.#stopListening?.();
      this.#stopListening = undefined;
    };
  }

  #listen(): () => void {
    const listener = listenToAccounts(this.#connection, (accountId) => {
      const woken = accountId === null ? [...this.#wakes.values()] : [this.#wakes.get(accountId) ?? []];
      for (const wakes of woken) for (const wake of wakes) wake();
    });
    return () => listener.close();
  }
}
