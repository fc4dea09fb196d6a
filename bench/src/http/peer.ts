import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { findFreePort } from '@parley/embedded-servers';
import pg from 'pg';
import { directSchema } from '../peers/schema.ts';

export interface Peer {
  readonly port: number;
  readonly pid: number;
  readonly keys: readonly string[];
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** One hand-written peer with a database of its own on the same Postgres server, seeded like the stack. */
export async function startPeer(
  name: 'direct' | 'nest-mikro-orm',
  serverUrl: string,
  accounts: number,
  folders: number,
): Promise<Peer> {
  const databaseUrl = await createDatabase(serverUrl, `bench_${name.replaceAll('-', '_')}`);
  const keys = Array.from({ length: accounts }, () => randomBytes(32).toString('base64url'));
  await seed(databaseUrl, keys, folders);
  return { keys, databaseUrl, ...(await startPeerProcess(name, databaseUrl)) };
}

/** Runs `peers/<name>` on a database of its own. */
export async function startPeerProcess(
  name: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pick<Peer, 'port' | 'pid' | 'stop'>> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'peers', `${name}.js`)], {
    env: {
      ...process.env,
      ...settings,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      NODE_ENV: 'production',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await untilReady(child, name);
  return { port, pid: child.pid ?? 0, stop: () => endOf(child) };
}

/** Asks the process to end, and waits until it has. */
export const endOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill();
  });

function untilReady(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
}

/** A fresh database beside the others on the server; resolves with its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`drop database if exists ${name} with (force)`);
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function seed(databaseUrl: string, keys: readonly string[], folders: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(directSchema);
  const hashes = keys.map((key) => createHash('sha256').update(key).digest('hex'));
  await client.query(
    `insert into api_keys (token_sha256, account_id) select hash, n from unnest($1::text[]) with ordinality k (hash, n)`,
    [hashes],
  );
  await client.query(
    `insert into folders (account_id, name) select a, 'Folder ' || f from generate_series(1, $1) a, generate_series(1, $2) f`,
    [keys.length, folders],
  );
  await client.query('analyze');
  await client.end();
}
