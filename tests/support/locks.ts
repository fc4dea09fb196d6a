import { eventually } from '@parley/testing';
import pg from 'pg';

/** A lock in one service's database: whoever needs it waits, and so stands still at a known step. */
export interface HeldLock {
  /** Resolves when somebody waits for a lock in that database. */
  untilAwaited(): Promise<void>;
  release(): Promise<void>;
}

/** What appends need; reads and rate limits go on. */
export const logHead = 'select position from es.head for update';
/** Writes of rows need it; reads go on. */
export const writesTo = (table: string): string => `lock table ${table} in exclusive mode`;
export const readsOf = (table: string): string => `lock table ${table} in access exclusive mode`;

export async function holdLock(databaseUrl: string, service: string, lock: string): Promise<HeldLock> {
  const client = new pg.Client({ connectionString: new URL(`/parley_${service}`, databaseUrl).href });
  await client.connect();
  await client.query('begin');
  await client.query(lock);
  return {
    untilAwaited: () =>
      eventually(async () => {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        if (!rowCount) throw new Error(`Nobody waits for ${lock} of ${service}.`);
      }, 20_000),
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}
