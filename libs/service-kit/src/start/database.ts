import { closeClient, keptAlive, PrimaryClient, scanTime } from '@parley/event-store';
import pg from 'pg';

const connectTimeoutMs = 10_000;
const missingDatabase = '3D000';
const insufficientPrivilege = '42501';
/** Another copy was quicker: `duplicate_database`, or the catalog's unique index when both ran at the same instant. */
const alreadyThere = new Set(['42P04', '23505']);

/** Which of all that a process connects to did not let it in: what Node and TLS say of it names nobody. */
class NoDatabase extends Error {
  override readonly name = 'NoDatabase';
  readonly code: string;

  constructor({ host }: URL, cause: unknown) {
    super(`Postgres at ${host || 'a socket'} takes no connection: ${messageOf(cause)}`, { cause });
    this.code = codeOf(cause);
  }
}

/** The server is another one's than ours, who gives out databases one by one. */
class MayNotMakeDatabase extends Error {
  override readonly name = 'MayNotMakeDatabase';
  readonly code = insufficientPrivilege;

  constructor(database: string, cause: Error) {
    super(
      `DATABASE_URL names a role that may not make the database ${database} (${cause.message}). Make that database with it as the owner, or give it CREATEDB, and CONNECT to the database that DATABASE_URL names.`,
      { cause },
    );
  }
}

/** The server is too old, or the database, which somebody made beforehand, cannot hold every text. */
class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** What a server says of itself and of a database. */
interface Offered {
  /** As it is shown, such as `18.1`, and as it is compared: 180001. */
  readonly version: string;
  readonly versionNumber: number;
  readonly encoding: string;
}

const oldestVersion = 140_000;

/**
 * The URL of `database` on the server of `serverUrl`. Makes the database when missing; safe with several copies. Rejects
 * when Postgres takes no connection for ten seconds, or gives no answer for a minute, and where the database will not do.
 */
export async function ensureDatabase(serverUrl: string, database: string): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  const check = () => withClient(url.href, (client) => refuseUnfit(client, database));
  try {
    await check();
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    if (codeOf(error) !== missingDatabase) throw new NoDatabase(url, error);
    await createDatabase(serverUrl, database);
    await check();
  }
  return url.href;
}

/** Rejects when it takes no connection for ten seconds, or gives no answer for a minute. */
export const askDatabase = (url: string): Promise<void> =>
  withClient(url, (client) => client.query('select'));

async function refuseUnfit(client: pg.Client, database: string): Promise<void> {
  const { rows } = await client.query<Offered>(
    `select current_setting('server_version_num')::int4 as "versionNumber",
       current_setting('server_version') as version, current_setting('server_encoding') as encoding`,
  );
  for (const offered of rows) {
    const fault = faultOf(offered, database);
    if (fault !== undefined) throw new UnfitDatabase(fault);
  }
}

/** Why that will not do; undefined where it does. */
export function faultOf({ encoding, version, versionNumber }: Offered, database: string): string | undefined {
  if (versionNumber < oldestVersion)
    return `DATABASE_URL leads to Postgres ${version}: it has to be 14 or later.`;
  return encoding === 'UTF8'
    ? undefined
    : `The database ${database} is in ${encoding}, which cannot hold every text. Make it anew, in UTF8.`;
}

async function createDatabase(serverUrl: string, database: string): Promise<void> {
  try {
    await withClient(serverUrl, (client) =>
      client.query(`create database ${pg.escapeIdentifier(database)} template template0 encoding 'UTF8'`),
    );
  } catch (error) {
    if (error instanceof Error && codeOf(error) === insufficientPrivilege)
      throw new MayNotMakeDatabase(database, error);
    if (!alreadyThere.has(codeOf(error))) throw error;
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new PrimaryClient({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    ...scanTime,
    ...keptAlive,
  });
  // Without a listener its loss between two statements would end the process; the next statement tells.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await closeClient(client);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
