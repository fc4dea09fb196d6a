import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

const directory = join(import.meta.dirname, '..', '..', 'migrations');
const lockKey = 3_900_001;

/** Brings the stand-in's database up to date; safe when several processes start at once. */
export async function migrate(pool: pg.Pool): Promise<void> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await client.query(
      'create table if not exists public.sandbox_migrations (file text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ file: string }>('select file from public.sandbox_migrations');
    const applied = new Set(rows.map(({ file }) => file));
    for (const file of files) if (!applied.has(file)) await apply(client, file);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [lockKey]);
    client.release();
  }
}

async function apply(client: pg.PoolClient, file: string): Promise<void> {
  const statements = await readFile(join(directory, file), 'utf8');
  await client.query('begin');
  try {
    await client.query(statements);
    await client.query('insert into public.sandbox_migrations (file) values ($1)', [file]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
