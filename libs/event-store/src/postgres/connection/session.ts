import pg from 'pg';

type Settings = Readonly<Record<string, string | number>>;

/**
 * Statements are prepared and planned once, often while tables are still small, and tables grow by the million before
 * new statistics bring a new plan: so plans are generic, and go by an index wherever there is one.
 */
const plans: Settings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' };

/**
 * Whatever the server, the database or the role has been given for others: times, numbers and texts are written as the
 * reader knows them; who waited for a lock sees what was committed meanwhile; and nothing ends a session because there
 * was little to do, or a statement, such as one that makes an index, because there was much.
 */
const asWeWork: Settings = {
  array_nulls: 'on',
  datestyle: 'ISO',
  extra_float_digits: 1,
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  idle_session_timeout: 0,
  lock_timeout: 0,
  statement_timeout: 0,
};

/**
 * A process that is gone without a word, with its machine or the network, gives up its locks within half a minute:
 * Linux alone would ask after two hours whether it is there, and send it an answer for a quarter of one.
 */
const signsOfLife: Settings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
};

/** The same of this end, for whoever waits for an answer that may take any time. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * A process from which Postgres hears nothing for so long (it hangs, or is cut off) loses what its session or
 * transaction holds; to be asked for by whoever sends heartbeats, or never rests.
 */
export const sessionSilenceMs = 15_000;

/** How long a server is given to take leave of a client; milliseconds. */
const leavingMs = 2_000;

/** Closes it whatever state it is in: also where it was lost without a word, and nobody answers that it is closed. */
export async function closeClient(client: pg.Client): Promise<void> {
  const cutOff = setTimeout(() => client.connection.stream.destroy(), leavingMs);
  await client.end().catch(() => undefined);
  clearTimeout(cutOff);
}

/**
 * For a pool's `error`: tells of a connection that was lost at rest. The pool has hung the whole client on the error,
 * which would fill a page of the log.
 */
export const lostAtRest =
  (onError: (error: unknown) => void) =>
  (error: Error): void => {
    Reflect.deleteProperty(error, 'client');
    onError(error);
  };

/** Adds settings of the session to a connection string, beside those it has. */
export const withSettings = (connectionString: string, settings: Settings): string =>
  withSessionSettings(connectionString, { ...plans, ...settings });

/** The same for a session that plans as Postgres does by itself. */
export function withSessionSettings(connectionString: string, settings: Settings): string {
  const url = new URL(connectionString);
  const given = { ...asWeWork, ...signsOfLife, ...settings };
  const flags = Object.entries(given).map(
    ([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`,
  );
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...flags].join(' ').trim());
  return url.href;
}

const toNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond a number's precision.`);
  return value;
};

/** The driver keeps the `JSON.parse` that there was when it was loaded; ours is put in its place later (ADR 37). */
const parseJson = (text: string): unknown => JSON.parse(text);

const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, toNumber],
  [pg.types.builtins.JSON, parseJson],
  [pg.types.builtins.JSONB, parseJson],
]);

/** Positions, ids and amounts are `int8`; all of ours fit a number, and what does not is an error. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    (format === 'binary' ? undefined : parsers.get(id)) ?? pg.types.getTypeParser(id, format),
};

/** SQLSTATE of an error that Postgres reported; undefined for anything else. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * A failure while an answer is read, such as a column longer than a string can be, ends this connection, and so the
 * query. The driver reads in a listener: there nobody would catch it, and the whole process would end. To be called once
 * the connection is made: only then it is known through which stream, bare or within TLS, it is read.
 */
export function guardReading({ stream }: pg.Connection): void {
  const readers = stream.listeners('data');
  stream.removeAllListeners('data');
  stream.on('data', (chunk: Buffer) => {
    try {
      for (const read of readers) read(chunk);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
