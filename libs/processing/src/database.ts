import { PrimaryClient, type SqlExecutor, type SqlQuery, sessionSilenceMs } from '@parley/event-store';
import type pg from 'pg';

/**
 * A connection of its own, beside the pool's: for work that holds locks or sends whole transactions in one go. It has
 * no statement timeout, because building a view may take long.
 */
export async function openClient(
  pool: pg.Pool,
  purpose: string,
  options: pg.ClientConfig = {},
): Promise<pg.Client> {
  const { password } = pool.options;
  const client = new PrimaryClient({
    ...pool.options,
    // pg hides it from enumeration.
    ...(password === undefined ? {} : { password }),
    application_name: `parley:${purpose}`,
    statement_timeout: 0,
    pipeline: true,
    ...options,
  });
  // Without a listener the loss of an idle connection would end the process; whoever queries next gets the error.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export const heartbeatMs = sessionSilenceMs / 3;

/** A session that bounds its silence keeps what its transaction has taken, while `work` goes on that asks it nothing. */
export async function withHeartbeats<T>(sql: SqlExecutor, work: () => Promise<T>): Promise<T> {
  const heartbeat = setInterval(() => sql.query({ text: 'select' }).catch(() => undefined), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}

/** All or nothing, in one round trip; rejects with the first failure. The client must be a pipelined one. */
export async function runTransaction(client: pg.Client, queries: readonly SqlQuery[]): Promise<void> {
  const all = [{ text: 'begin' }, ...queries, { text: 'commit' }];
  const outcomes = await Promise.allSettled(all.map((query) => client.query(query)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  // Postgres has answered the commit of a failed transaction with a rollback: there is nothing to undo.
  if (failed) throw failed.reason;
}

/** Derived rows can be derived again: losing the newest of them in a crash is no loss, and no fsync is faster. */
export const withoutFsync: SqlQuery = { text: 'set local synchronous_commit = off' };

/**
 * A plan made when the tables were empty, and kept, reads all of them for every page: so each page is planned for the
 * tables as they are. Planning is nothing beside what a page writes.
 */
export const plannedAnew: SqlQuery = { text: 'set local plan_cache_mode = force_custom_plan' };

/** Session advisory locks: for each name whether it has it now, or, at once, that another session holds it. */
export async function tryLocks(client: pg.Client, names: readonly string[]): Promise<readonly boolean[]> {
  const { rows } = await client.query<{ locked: boolean }>({
    name: 'processing-try-locks',
    text: `select pg_try_advisory_lock(hashtextextended(name, 0)) as locked
           from unnest($1::text[]) with ordinality as asked (name, place) order by place`,
    values: [names],
  });
  return rows.map(({ locked }) => locked);
}

/** One of them. */
export async function tryLock(client: pg.Client, name: string): Promise<boolean> {
  const [locked] = await tryLocks(client, [name]);
  return locked === true;
}

/** Whether a session holds it. Those who ask at the same time do not see each other. */
export async function isLocked(sql: SqlExecutor, name: string): Promise<boolean> {
  const { rows } = await sql.query<{ free: boolean }>({
    name: 'processing-is-locked',
    text: 'select pg_try_advisory_xact_lock_shared(hashtextextended($1, 0)) as free',
    values: [name],
  });
  return rows[0]?.free !== true;
}

export async function unlock(client: pg.Client, name: string): Promise<void> {
  await client.query({
    name: 'processing-unlock',
    text: 'select pg_advisory_unlock(hashtextextended($1, 0))',
    values: [name],
  });
}
