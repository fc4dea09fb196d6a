import { randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newKey } from '@parley/process-kit';
import { z } from 'zod';

/** What a home remembers between starts. Postgres's password belongs to its data directory. */
const memorySchema = z.object({
  postgres_password: z.string(),
  postgres_port: z.int().optional(),
  nats_password: z.string().default(() => newPassword()),
  nats_port: z.int().optional(),
  /** Seals the secrets of customers; whoever loses it has to enter them again. */
  secrets_keys: z.string().default(() => newKey()),
});
type Memory = z.output<typeof memorySchema>;

export interface Home {
  /** Absolute and without symbolic links, as it stands on command lines. */
  readonly dir: string;
  readonly postgresDir: string;
  readonly natsDir: string;
  readonly logsDir: string;
  readonly lockFile: string;
  readonly memory: Memory;
  remember(change: Partial<Memory>): Promise<void>;
}

/** Opens a home, making it on its first use. The caller must be the only one that uses it. */
export async function openHome(path: string): Promise<Home> {
  await mkdir(path, { recursive: true });
  const dir = await realpath(path);
  const logsDir = join(dir, 'logs');
  await mkdir(logsDir, { recursive: true });
  const memoryFile = join(dir, 'home.json');
  let memory = await readMemory(memoryFile);
  let written: Promise<void> = Promise.resolve();
  return {
    dir,
    postgresDir: join(dir, 'postgres'),
    natsDir: join(dir, 'nats'),
    logsDir,
    lockFile: join(dir, 'up.lock'),
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

async function readMemory(file: string): Promise<Memory> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const known: unknown = text === undefined ? { postgres_password: newPassword() } : JSON.parse(text);
  const memory = memorySchema.parse(known);
  // What was made just now must be known at the next start.
  if (JSON.stringify(memory) !== JSON.stringify(known)) await writePrivately(file, memory);
  return memory;
}

const newPassword = () => randomBytes(24).toString('hex');

/** Replaces a JSON file as a whole, readable for its owner alone: it holds secrets. One writer at a time. */
export async function writePrivately(file: string, content: unknown): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(fresh, file);
}
