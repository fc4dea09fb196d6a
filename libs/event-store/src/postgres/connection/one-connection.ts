import type pg from 'pg';
import type { SqlExecutor } from '../../sql.ts';
import { type AnswerTime, answeredWithin, lookUpTime } from './answer-time.ts';

/**
 * One connection of the pool's for all of `work`, as a transaction of several statements needs it. Rejects when the
 * connection is lost, or a statement has no answer for the time given (ten seconds when absent). Work that fails takes the
 * connection with it: Postgres undoes what it had begun.
 */
export async function onOneConnection<T>(
  pool: pg.Pool,
  work: (sql: SqlExecutor) => Promise<T>,
  time: AnswerTime = lookUpTime,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Without a listener its loss while the work is under way would end the process.
  const lose = (error: Error) => {
    broken = error;
  };
  client.on('error', lose);
  try {
    return await work(answeredWithin(client, time));
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', lose);
    client.release(broken);
  }
}
