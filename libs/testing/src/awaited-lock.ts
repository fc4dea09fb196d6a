import { eventually } from './eventually.ts';

interface Asked {
  query(sql: string): Promise<{ rows: { pid: number }[] }>;
}

/**
 * Resolves when somebody waits for a lock in the database of the connection, with the process ids of those who do;
 * other databases of the server have tables with the same identifiers.
 */
export const untilLockIsAwaited = (connection: Asked): Promise<number[]> =>
  eventually(async () => {
    // Inside a transaction, what was seen of the others first would be seen until its end.
    await connection.query('select pg_stat_clear_snapshot()');
    const { rows } = await connection.query(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length === 0) throw new Error('Nobody waits for a lock in this database.');
    return rows.map(({ pid }) => pid);
  });
