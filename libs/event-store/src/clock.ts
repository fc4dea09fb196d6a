import { createBatchLoader } from '@parley/batching';
import { lookUpTime } from './postgres/connection/answer-time.ts';
import type { SqlExecutor } from './sql.ts';

export interface Clock {
  /** The platform clock: the database's, plus what a sandbox moved it by. Calls of one tick share one query. */
  now(): Promise<Date>;
}

/** The only clock that decides anything; Node's own never does. */
export function createClock(sql: SqlExecutor): Clock {
  const load = createBatchLoader(async (keys: readonly null[]) => {
    const { rows } = await sql.query<{ now: Date }>({
      name: 'es-now',
      text: 'select es.now() as now',
      ...lookUpTime,
    });
    const [row] = rows;
    if (!row) throw new Error('es.now() gave no row.');
    return keys.map(() => row.now);
  });
  return { now: () => load(null) };
}

/** Seconds by which the platform clock is ahead of Postgres's. */
export async function getClockOffset(sql: SqlExecutor): Promise<number> {
  const { rows } = await sql.query<{ seconds_ahead: number }>({ text: 'select seconds_ahead from es.clock' });
  return rows[0]?.seconds_ahead ?? 0;
}

/** Moves the platform clock of this database, at once for every process, and wakes whoever sleeps until a timer is due. */
export async function setClockOffset(sql: SqlExecutor, seconds: number): Promise<void> {
  await sql.query({
    text: `with moved as (update es.clock set seconds_ahead = $1 returning 1)
           select pg_notify('es_timers', '') from moved`,
    values: [seconds],
  });
}
