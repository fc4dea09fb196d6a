import { readdir, readFile, rm } from 'node:fs/promises';
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

/** Whether `words` stand on the command line, not as the beginning of something longer. */
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
 * noticed yet. Waits for the workers, then removes the files when their process is dead (also one that only its parent has not noticed the end of)
 * or is another program by now: for Postgres any living process of that id would be a reason not to start.
 */
export async function clearPostgresRemains(dataDir: string, patienceMs = 5_000): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const processes = await listProcesses();
  const owner = processes.find((candidate) => candidate.pid === pid);
  if (owner && isPostgres(owner)) return;
  const workers = await findWorkers(dataDir, processes);
  await Promise.all(
    workers.map(({ pid: worker }) => stopProcess(worker, ['SIGQUIT', 'SIGKILL'], patienceMs)),
  );
  // Where nobody tells who works in the data directory, a file whose process is gone is left to Postgres.
  if (!owner && process.platform !== 'linux') return;
  const sockets = (await readdir(dataDir)).filter((name) => name.startsWith('.s.PGSQL.'));
  for (const name of [...sockets, 'postmaster.pid']) await rm(join(dataDir, name), { force: true });
}

const isPostgres = ({ commandLine }: RunningProcess): boolean => /(^|\/)postgres(:| |$)/.test(commandLine);

async function findWorkers(
  dataDir: string,
  processes: readonly RunningProcess[],
): Promise<readonly RunningProcess[]> {
  const candidates = processes.filter(isPostgres);
  const places = await Promise.all(candidates.map(({ pid }) => workingDirectoryOf(pid)));
  return candidates.filter((_, index) => places[index] === dataDir);
}
