import type pg from 'pg';

/** Anything that runs a statement: the pool for single ones, a client inside `inTransaction`. */
export type Executor = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>;

/** Runs `work` in one transaction: everything it wrote, or nothing when it throws. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // Without a listener its loss between two statements would end the process; the next statement tells.
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}

const ignore = (): void => undefined;
