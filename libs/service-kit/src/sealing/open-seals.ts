import { randomBytes } from 'node:crypto';
import { isPersonalClaim } from '@parley/contracts';
import {
  forLookUps,
  keptAlive,
  lostAtRest,
  migrate,
  PrimaryClient,
  type SqlExecutor,
  withSettings,
} from '@parley/event-store';
import type { Keyring } from '@parley/process-kit';
import pg from 'pg';
import { Seals } from './event-seals.ts';
import { personalData } from './personal-data.ts';
import { numbersIn } from './personal-values.ts';
import { StreamNames } from './stream-names.ts';
import { SubjectKeys } from './subject-keys.ts';

export interface OpenSealsOptions {
  /** The service's own database. */
  readonly connectionString: string;
  readonly keyring: Keyring;
  readonly onError: (error: unknown) => void;
  /** Called while the database is migrated, which may take long. */
  readonly onProgress?: () => void;
}

export interface OpenedSeals {
  readonly seals: Seals;
  readonly keys: SubjectKeys;
  close(): Promise<void>;
}

/** How often a copy looks whether people were erased by another; milliseconds. */
export const forgetPollMs = 500;

const secretPlace = 'subject-secret';
const maxConnections = 2;
/** A few keys and names are looked up in tables of any size: one by one, by their index. */
const settings = { enable_hashjoin: 'off', enable_mergejoin: 'off' };

/** Makes what sealing needs, and forgets what it knows whenever people are erased. */
export async function openSeals(options: OpenSealsOptions): Promise<OpenedSeals> {
  const { connectionString, keyring, onError, onProgress } = options;
  await migrate(connectionString, onProgress);
  const pool = new pg.Pool({
    Client: PrimaryClient,
    connectionString: withSettings(connectionString, settings),
    application_name: 'parley-seals',
    connectionTimeoutMillis: 5_000,
    max: maxConnections,
    ...keptAlive,
  });
  pool.on('error', lostAtRest(onError));
  try {
    const sql = forLookUps(pool);
    const keys = new SubjectKeys(sql, keyring, await findSecret(sql, keyring));
    const names = new StreamNames(sql, keys);
    const seals = new Seals({ sql, keys, names, personal: personalData });
    // Looks through all claims.
    await renameClaims(pool, keys);
    const stopWatching = await watchErasures(sql, seals, onError);
    return {
      seals,
      keys,
      async close() {
        stopWatching();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** The service's own; made by whichever copy is first. */
async function findSecret(sql: SqlExecutor, keyring: Keyring): Promise<Buffer> {
  await sql.query({
    text: 'insert into es.subject_secret (sealed) values ($1) on conflict do nothing',
    values: [keyring.seal(randomBytes(32).toString('base64'), secretPlace)],
  });
  const { rows } = await sql.query<{ sealed: string }>({ text: 'select sealed from es.subject_secret' });
  return Buffer.from(keyring.open(rows[0]?.sealed ?? '', secretPlace).reveal(), 'base64');
}

/** Claims on numbers from before they were sealed go on under the names that they have now. */
async function renameClaims(sql: SqlExecutor, keys: SubjectKeys): Promise<void> {
  const { rows } = await sql.query<{ scope: string; key: string; owner: string; account: number | null }>({
    text: `select c.scope, c.key, c.owner, e.account_id::float8 as account from es.claims c
           left join es.events e on e.stream_id = c.owner and e.stream_version = 1
           where c.key like '%+%'`,
  });
  for (const { scope, key, owner, account } of rows.filter((row) => isPersonalClaim(row.scope))) {
    let renamed = key;
    for (const number of numbersIn(key))
      renamed = renamed.replaceAll(number, (await keys.of(account, number)).id);
    await sql.query({
      text: 'update es.claims set key = $4 where scope = $1 and key = $2 and owner = $3',
      values: [scope, key, owner, renamed],
    });
  }
}

async function watchErasures(
  sql: SqlExecutor,
  seals: Seals,
  onError: (error: unknown) => void,
): Promise<() => void> {
  const count = async (): Promise<number> => {
    const { rows } = await sql.query<{ erasures: number }>({
      name: 'subject-erasures',
      text: 'select erasures::float8 as erasures from es.subject_secret',
    });
    return rows[0]?.erasures ?? 0;
  };
  let known = await count();
  // What became known before nobody has watched.
  seals.forget();
  let running = Promise.resolve();
  const look = async () => {
    const erasures = await count();
    if (erasures !== known) seals.forget();
    known = erasures;
  };
  const timer = setInterval(() => {
    running = running.then(look).catch((error: unknown) => {
      // What was missed meanwhile is not known: better to know nobody.
      seals.forget();
      onError(error);
    });
  }, forgetPollMs);
  timer.unref();
  return () => clearInterval(timer);
}
