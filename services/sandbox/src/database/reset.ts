import type pg from 'pg';

/**
 * Tables that a reset keeps: the clock, since the time of the platform never goes backwards (events carry it), and
 * the record of migrations.
 */
const kept = ['sandbox.clock', 'public.sandbox_migrations'];

/** Deletes everything that the sandbox was told and asked. */
export async function forgetEverything(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')
       and format('%s.%s', schemaname, tablename) <> all($1)`,
    [kept],
  );
  if (rows.length === 0) return;
  await pool.query(`truncate ${rows.map(({ name }) => name).join(', ')} restart identity cascade`);
}
