import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SqlExecutor } from '../sql.ts';
import { forLookUps } from './connection/answer-time.ts';
import { PrimaryClient } from './connection/primary-client.ts';
import { closeClient, keptAlive, sessionSilenceMs, withSessionSettings } from './connection/session.ts';

const folder = new URL('../../migrations/', import.meta.url);

/** Held while migrating, so that of several processes starting at once one migrates and the others wait. */
const migrationLock = 7_110_563_341;
const lookAgainMs = 100;
const connectTimeoutMs = 10_000;
const progressEveryMs = 1_000;

/** Whoever hangs while it migrates loses its turn; a migration itself may take any time. */
const session = {
  idle_session_timeout: sessionSilenceMs,
  idle_in_transaction_session_timeout: sessionSilenceMs,
};

/**
 * Brings the schema `es` to what this version of the code needs. Each file of `migrations/` runs once, in order. Rejects
 * when Postgres gives no answer for ten seconds to anything but a migration. `onProgress` is called every second: an index
 * of a large log takes minutes.
 */
export async function migrate(
  connectionString: string,
  onProgress: () => void = () => undefined,
): Promise<void> {
  const client = new PrimaryClient({
    connectionString: withSessionSettings(connectionString, session),
    connectionTimeoutMillis: connectTimeoutMs,
    ...keptAlive,
  });
  // Without a listener its loss between two statements would end the process; the next statement tells.
  client.on('error', () => undefined);
  const progress = setInterval(onProgress, progressEveryMs);
  try {
    await client.connect();
    const sql = forLookUps(client);
    while (!(await tryLock(sql))) await sleep(lookAgainMs);
    await sql.query({ text: 'create schema if not exists es' });
    await sql.query({
      text: 'create table if not exists es.migrations (file text primary key, applied_at timestamptz not null default now())',
    });
    const { rows } = await sql.query<{ file: string }>({ text: 'select file from es.migrations' });
    const applied = new Set(rows.map(({ file }) => file));
    const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
    for (const file of files) if (!applied.has(file)) await apply(client, file);
  } finally {
    clearInterval(progress);
    // Ending the session gives the lock back.
    await closeClient(client);
  }
}

async function tryLock(sql: SqlExecutor): Promise<boolean> {
  const { rows } = await sql.query<{ locked: boolean }>({
    text: 'select pg_try_advisory_lock($1) as locked',
    values: [migrationLock],
  });
  return rows[0]?.locked === true;
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
