import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

/** A database on the run's Postgres, and how to be rid of it. */
interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** What every database of a test is a copy of, unless it is to be empty: `migrate` has run in it. */
const template = 'event_store';

/** Makes the template, once for the run. */
export async function createTemplate(serverUrl: string): Promise<void> {
  // Loaded here, so that pure tests, which import this package too, start without Postgres.
  const { migrate } = await import('@parley/event-store');
  await onServer(serverUrl, (server) => server.query(`create database ${template}`));
  await migrate(urlOf(serverUrl, template));
}

/** A database of its own with the schema `es` in it, as it is before the first event, so that test files run side by side. */
export const createTestDatabase = (): Promise<TestDatabase> => copyOf(template);

/** One with nothing in it. */
export const createEmptyDatabase = (): Promise<TestDatabase> => copyOf('template0');

async function copyOf(original: string): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Files are copied, not written to the log page by page, which takes twice the time.
  await onServer(serverUrl, (server) =>
    server.query(`create database ${name} template ${original} strategy file_copy`),
  );
  return { url: urlOf(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

const urlOf = (serverUrl: string, database: string): string =>
  Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;

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
