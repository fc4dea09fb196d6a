import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newKey, parseJson } from '@parley/process-kit';
import { z } from 'zod';
import { CommandFailed } from '../exit-codes.ts';

/**
 * What a home stores between starts (`home.json`). The Postgres password belongs to its data directory. Fields of
 * newer releases are kept.
 */
const memorySchema = z.looseObject({
  postgres_password: z.string(),
  postgres_port: z.int().optional(),
  nats_password: z.string().default(() => newPassword()),
  nats_port: z.int().optional(),
  /** Keys that seal the secrets of customers; when they are lost, the secrets must be entered again. */
  secrets_keys: z.string().default(() => newKey()),
});
type Memory = z.output<typeof memorySchema>;

export interface Home {
  /** Absolute and without symbolic links, as it stands on command lines. */
  readonly dir: string;
  readonly postgresDir: string;
  readonly natsDir: string;
  readonly logsDir: string;
  readonly memory: Memory;
  remember(change: Partial<Memory>): Promise<void>;
}

/**
 * The absolute path of a home, without symbolic links, and the file to lock before the home is opened. Creates the
 * folder on first use.
 */
export async function findHome(path: string): Promise<{ readonly dir: string; readonly lockFile: string }> {
  await makeFolder(path);
  const dir = await realpath(path);
  return { dir, lockFile: join(dir, 'up.lock') };
}

/**
 * Creates a folder and its parents. Node's own `recursive` never returns in a folder that exists and takes no new
 * ones, like `/proc`.
 */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/**
 * Opens a home; the caller must hold its lock. Throws `CommandFailed` when `home.json` cannot be read: new secrets
 * in place of the stored ones would open nothing any more.
 */
export async function openHome(path: string): Promise<Home> {
  const { dir } = await findHome(path);
  const logsDir = join(dir, 'logs');
  await mkdir(logsDir, { recursive: true });
  const postgresDir = join(dir, 'postgres');
  const memoryFile = join(dir, 'home.json');
  let memory = await readMemory(memoryFile, postgresDir);
  let written: Promise<void> = Promise.resolve();
  return {
    dir,
    postgresDir,
    natsDir: join(dir, 'nats'),
    logsDir,
    get memory() {
      return memory;
    },
    // One after the other, so that the newest is what stays.
    remember(change) {
      memory = { ...memory, ...change };
      const write = () => writePrivately(memoryFile, memory);
      written = written.then(write, write);
      return written;
    },
  };
}

async function readMemory(file: string, postgresDir: string): Promise<Memory> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandFailed(`${file} cannot be read: ${error.message}. ${whatItHolds}`);
  });
  if (text === undefined && existsSync(postgresDir))
    throw new CommandFailed(`${file} is missing, and ${postgresDir} is there. ${whatItHolds}`);
  const known = text === undefined ? { postgres_password: newPassword() } : parseJson(text);
  const { data: memory } = memorySchema.safeParse(known);
  if (!memory) throw new CommandFailed(`${file} is damaged. ${whatItHolds}`);
  // What was made just now must be known at the next start.
  if (JSON.stringify(memory) !== JSON.stringify(known)) await writePrivately(file, memory);
  return memory;
}

const whatItHolds =
  'It holds the password of Postgres and the key that opens what is sealed there. Put it right, or set PARLEY_HOME to a ' +
  'new folder.';

const newPassword = () => randomBytes(24).toString('hex');

/**
 * Replaces a JSON file as a whole, readable for its owner alone: it holds secrets. One writer at a time. Root leaves it to
 * whoever had it or, a new one, to whom its folder belongs: their own next start must be able to read it.
 */
export async function writePrivately(file: string, content: unknown): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  if (process.getuid?.() === 0) {
    const { uid, gid } = await stat(file).catch(() => stat(dirname(file)));
    await chown(fresh, uid, gid);
  }
  await rename(fresh, file);
}
