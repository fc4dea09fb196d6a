import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

const folder = new URL('../../migrations/', import.meta.url);

/** Held while migrating, so that of several processes starting at once one migrates and the others wait. */
const migrationLock = 7_110_563_341;

/** Brings the schema `es` to what this version of the code needs. Each file of `migrations/` runs once, in order. */
export async function migrate(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query('create schema if not exists es');
    await client.query(
      'create table if not exists es.migrations (file text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ file: string }>('select file from es.migrations');
    const applied = new Set(rows.map(({ file }) => file));
    const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
    for (const file of files) if (!applied.has(file)) await apply(client, file);
  } finally {
    // Ending the session gives the lock back.
    await client.end();
  }
}

async function apply(client: pg.Client, file: string): Promise<void> {
  const sql = await readFile(new URL(file, folder), 'utf8');
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query('insert into es.migrations (file) values ($1)', [file]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    throw new Error(`Migration ${file} failed.`, { cause });
  }
}
