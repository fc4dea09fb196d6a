import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

/** A database of its own on the run's Postgres, so that test files run side by side. Dropped by `drop`. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const serverUrl = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(serverUrl, (server) => server.query(`create database ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(serverUrl, name) };
}

const leavingMs = 5_000;

/**
 * Clients that are leaving are waited for, the rest is thrown out: pg tells a client of a pool that has ended of its
 * connection's end as an error that nobody listens for.
 */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, async (server) => {
    const isUsed = async () => {
      const { rowCount } = await server.query('select from pg_stat_activity where datname = $1', [name]);
      return rowCount !== 0;
    };
    for (const endAt = performance.now() + leavingMs; performance.now() < endAt && (await isUsed()); )
      await sleep(20);
    await server.query(`drop database if exists ${name} with (force)`);
  });
}

async function onServer(url: string, work: (server: pg.Client) => Promise<unknown>): Promise<void> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  try {
    await work(server);
  } finally {
    await server.end();
  }
}
