import type { SqlExecutor } from '@parley/event-store';

/** How many rows of a table were ever read through this connection, which must be the only one of its pool. */
export async function rowsRead(sql: SqlExecutor, table: string): Promise<number> {
  await sql.query({ text: 'select pg_stat_force_next_flush()', values: [] });
  const { rows } = await sql.query<{ count: number }>({
    text: 'select seq_tup_read + idx_tup_fetch as count from pg_stat_user_tables where relid = $1::regclass',
    values: [table],
  });
  return rows[0]?.count ?? 0;
}
