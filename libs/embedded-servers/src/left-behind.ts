import { readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  identifyProcess,
  listProcesses,
  type RunningProcess,
  workingDirectoryOf,
} from './running-processes.ts';

/** Processes that were left behind, by a text that only they have on their command line (a data directory, a home). */
export interface LeftBehind {
  readonly description: string;
  readonly isMine: (commandLine: string) => boolean;
  /** Sent one after the other, each with time to act on it. */
  readonly signals: readonly NodeJS.Signals[];
}

/** A Postgres, or an interrupted `initdb`, of this data directory. */
export const postgresOf = (dataDir: string): LeftBehind => ({
  description: 'Postgres',
  isMine: (commandLine) =>
    (/\/postgres /.test(commandLine) && hasWords(commandLine, `-D ${dataDir}`)) ||
    (/\/initdb /.test(commandLine) && hasWords(commandLine, `--pgdata=${dataDir}.new`)),
  signals: ['SIGINT', 'SIGQUIT', 'SIGKILL'],
});

/** A nats-server of this store directory. */
export const natsOf = (storeDir: string): LeftBehind => ({
  description: 'nats-server',
  isMine: (commandLine) =>
    /nats-server /.test(commandLine) && hasWords(commandLine, `--store_dir ${storeDir}`),
  signals: ['SIGTERM', 'SIGKILL'],
});

/** Whether `words` stand on the command line, not as the beginning of a longer word. */
export const hasWords = (commandLine: string, words: string): boolean =>
  ` ${commandLine} `.includes(` ${words} `);

/** Stops them and waits until they are gone. Resolves with how many there were. */
export async function stopLeftBehind(kind: LeftBehind, patienceMs = 5_000): Promise<number> {
  const found = (await listProcesses()).filter(
    ({ pid, commandLine }) => pid !== process.pid && kind.isMine(commandLine),
  );
  await Promise.all(found.map(({ pid }) => stopProcess(pid, kind.signals, patienceMs)));
  return found.length;
}

async function stopProcess(pid: number, signals: readonly NodeJS.Signals[], patienceMs: number) {
  const identity = await identifyProcess(pid);
  if (identity === undefined) return;
  const isGone = async () => (await identifyProcess(pid)) !== identity;
  for (const signal of signals) {
    if (await isGone()) return;
    sendSignal(pid, signal);
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline && !(await isGone())) await sleep(20);
  }
  if (!(await isGone())) throw new Error(`The process ${pid} of an earlier start does not end.`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * A Postgres that was killed leaves `postmaster.pid` and its socket's lock behind, and for a moment workers that have not
 * noticed yet. Waits for the workers, then removes the files, unless their Postgres lives: any other living process of
 * that id would be a reason for Postgres not to start.
 */
export async function clearPostgresRemains(dataDir: string, patienceMs = 5_000): Promise<void> {
  const locks = (await readdir(dataDir).catch(() => [])).filter((name) => isLock.test(name));
  if (locks.length === 0) return;
  const holders = await Promise.all(locks.map((name) => holderOf(join(dataDir, name))));
  const processes = await listProcesses();
  const servers = await findPostgres(processes);
  const here = await realpath(dataDir);
  // Where nobody tells the directory, any Postgres may be the one, and the files of a process that is gone stay.
  const isOurs = ({ place }: Located) => place === undefined || place === here;
  if (servers.some((server) => holders.includes(server.pid) && isOurs(server))) return;
  const workers = servers.filter(({ place }) => place === here);
  await Promise.all(workers.map(({ pid }) => stopProcess(pid, ['SIGQUIT', 'SIGKILL'], patienceMs)));
  if (process.platform !== 'linux' && !processes.some(({ pid }) => holders.includes(pid))) return;
  await Promise.all(locks.map((name) => rm(join(dataDir, name), { force: true })));
}

const isLock = /^(postmaster\.pid|\.s\.PGSQL\..*\.lock)$/;

/** The process that a lock file names in its first line. */
const holderOf = async (file: string): Promise<number> =>
  Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);

interface Located {
  readonly pid: number;
  /** The directory it works in, of Postgres its data directory; `undefined` where the system does not tell. */
  readonly place: string | undefined;
}

async function findPostgres(processes: readonly RunningProcess[]): Promise<readonly Located[]> {
  const found = processes.filter(({ commandLine }) => /(^|\/)postgres(:| |$)/.test(commandLine));
  return Promise.all(found.map(async ({ pid }) => ({ pid, place: await workingDirectoryOf(pid) })));
}
