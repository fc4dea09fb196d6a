import type pg from 'pg';
import { type Callback, enqueueCallback } from './callbacks/callback.ts';
import type { Courier } from './callbacks/courier.ts';
import { inTransaction } from './database/transaction.ts';

export type Tell = (callback: Callback) => Promise<void>;

/** What the platforms of the outside world stand on: one database, one clock, one way to call the gateway. */
export class World {
  readonly pool: pg.Pool;
  readonly clock: { now(): Date };
  private readonly courier: Pick<Courier, 'wake'>;

  constructor(pool: pg.Pool, clock: { now(): Date }, courier: Pick<Courier, 'wake'>) {
    this.pool = pool;
    this.clock = clock;
    this.courier = courier;
  }

  /** Callbacks were queued outside of `change`. */
  wakeCourier(): void {
    this.courier.wake();
  }

  /** A change and the callbacks that tell of it, in one transaction; they leave as soon as it is committed. */
  async change<T>(work: (db: pg.PoolClient, tell: Tell) => Promise<T>): Promise<T> {
    const result = await inTransaction(this.pool, (db) =>
      work(db, (callback) => enqueueCallback(db, callback)),
    );
    this.wakeCourier();
    return result;
  }
}
