import { eventually, untilLockIsAwaited } from '@parley/testing';
import pg from 'pg';
import { expect } from 'vitest';

/** A lock in the database of one service: a process that needs it waits, and so stands still at a known step. */
export interface HeldLock {
  /** Resolves when somebody waits for a lock in that database. */
  untilAwaited(): Promise<void>;
  release(): Promise<void>;
  /**
   * Releases the lock where the waiting processes were killed; resolves when Postgres has ended their connections.
   */
  releaseToTheDead(): Promise<void>;
}

/** The lock that every append needs; reads and rate limits go on. */
export const logHead = 'select position from es.head for update';
/** The lock that writes to a table need; reads go on. */
export const writesTo = (table: string): string => `lock table ${table} in exclusive mode`;
export const readsOf = (table: string): string => `lock table ${table} in access exclusive mode`;

export async function holdLock(databaseUrl: string, service: string, lock: string): Promise<HeldLock> {
  const client = new pg.Client({ connectionString: new URL(`/parley_${service}`, databaseUrl).href });
  await client.connect();
  await client.query('begin');
  await client.query(lock);
  let waiting: number[] = [];
  return {
    async untilAwaited() {
      waiting = await untilLockIsAwaited(client);
    },
    async release() {
      await client.query('rollback');
      await client.end();
    },
    async releaseToTheDead() {
      await client.query('rollback');
      await eventually(async () => {
        const query = 'select from pg_stat_activity where pid = any ($1)';
        expect((await client.query(query, [waiting])).rowCount).toBe(0);
      });
      await client.end();
    },
  };
}
