import type { SqlExecutor } from './sql.ts';

/** Makes tables that stand beside the log, in a schema of their own; copies that start together take turns. */
export async function makeBesideLog(sql: SqlExecutor, schema: string, tables: string): Promise<void> {
  await sql.query({
    text: `select pg_advisory_xact_lock(hashtext('${schema}')); create schema if not exists ${schema}; ${tables}`,
  });
}
