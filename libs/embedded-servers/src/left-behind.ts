import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, listProcesses, workingDirectoryOf } from './running-processes.ts';

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
    process.kill(pid, signal);
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline && !(await isGone())) await sleep(20);
  }
  if (!(await isGone())) throw new Error(`The process ${pid} of an earlier start does not end.`);
}

/**
 * Postgres refuses to start when the id in `postmaster.pid` belongs to any living process of its user. When that is
 * another program by now (the machine was restarted, or the id used again) and nothing works in the data directory, the
 * file goes; in every other case Postgres's own protection decides.
 */
export async function removeStalePostmasterFile(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const processes = await listProcesses();
  const owner = processes.find((candidate) => candidate.pid === pid);
  if (!owner || /postgres/.test(owner.commandLine)) return;
  const places = await Promise.all(processes.map((candidate) => workingDirectoryOf(candidate.pid)));
  if (!places.includes(dataDir)) await rm(file, { force: true });
}
