import type { SqlExecutor } from '@parley/event-store';
import { eventually } from './eventually.ts';

/** How many rows of a table were ever read through this connection, which must be the only one of its pool. */
export async function rowsRead(sql: SqlExecutor, table: string): Promise<number> {
  await sql.query({ text: 'select pg_stat_force_next_flush()', values: [] });
  const { rows } = await sql.query<{ count: number }>({
    text: 'select seq_tup_read + idx_tup_fetch as count from pg_stat_user_tables where relid = $1::regclass',
    values: [table],
  });
  return rows[0]?.count ?? 0;
}

/**
 * Vacuums a table until indexes alone tell what is in it: while anything in the database, such as an autovacuum, has begun
 * before its newest rows, they have to be read to be seen, and plans are others.
 */
export async function vacuum(sql: SqlExecutor, table: string): Promise<void> {
  await eventually(async () => {
    await sql.query({ text: `vacuum analyze ${table}`, values: [] });
    const { rows } = await sql.query({
      text: 'select from pg_class where oid = $1::regclass and relallvisible < relpages',
      values: [table],
    });
    if (rows.length > 0) throw new Error(`Not all of ${table} is visible to all.`);
  });
}
