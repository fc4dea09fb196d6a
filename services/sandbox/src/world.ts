import type pg from 'pg';
import { type Callback, enqueueCallback } from './callbacks/callback.ts';
import type { Courier } from './callbacks/courier.ts';
import { inTransaction } from './database/transaction.ts';

export type Tell = (callback: Callback) => Promise<void>;

/** What all providers of the sandbox share: one database, one clock, and one way to send callbacks to the gateway. */
export class World {
  readonly pool: pg.Pool;
  readonly clock: { now(): Date };
  readonly #courier: Pick<Courier, 'wake'>;

  constructor(pool: pg.Pool, clock: { now(): Date }, courier: Pick<Courier, 'wake'>) {
    this.pool = pool;
    this.clock = clock;
    this.#courier = courier;
  }

  /** To be called when callbacks were queued outside of `change`. */
  wakeCourier(): void {
    this.#courier.wake();
  }

  /** Makes a change and queues its callbacks in one transaction; they are sent as soon as it is committed. */
  async change<T>(work: (db: pg.PoolClient, tell: Tell) => Promise<T>): Promise<T> {
    const result = await inTransaction(this.pool, (db) =>
      work(db, (callback) => enqueueCallback(db, callback)),
    );
    this.wakeCourier();
    return result;
  }
}
