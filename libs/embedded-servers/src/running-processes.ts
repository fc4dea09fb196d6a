import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface RunningProcess {
  readonly pid: number;
  readonly parentPid: number;
  /** Its arguments with blanks between them. */
  readonly commandLine: string;
}

/** Every process of this machine that this user may see. */
export async function listProcesses(): Promise<RunningProcess[]> {
  return process.platform === 'linux' ? listFromProc() : listFromPs();
}

async function listFromProc(): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [text, status] = await Promise.all([
        readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
        readStatus(pid).catch(() => undefined),
      ]);
      const commandLine = text.replace(/\0$/, '').replaceAll('\0', ' ');
      return { pid, parentPid: status?.parentPid ?? 0, commandLine };
    }),
  );
  return found.filter(({ commandLine }) => commandLine !== '');
}

async function listFromPs(): Promise<RunningProcess[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parentPid, commandLine] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return commandLine ? [{ pid: Number(pid), parentPid: Number(parentPid), commandLine }] : [];
  });
}

/** The fields of proc(5) `stat` that matter here; they follow the program's name, which may hold anything. */
async function readStatus(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [state, parentPid, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, parentPid: Number(parentPid), startTime: rest[17] };
}

/**
 * Tells a process from every other one that ever had its id: when it was started, and since which boot.
 * `undefined` when there is no such process.
 */
export async function identifyProcess(pid: number): Promise<string | undefined> {
  try {
    if (process.platform !== 'linux') return await startToldByPs(pid);
    const [boot, { state, startTime }] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readStatus(pid),
    ]);
    return state === 'Z' || state === 'X' ? undefined : `${boot.trim()} ${startTime}`;
  } catch {
    return undefined;
  }
}

/** The same whoever asks: `ps` tells times in the language and the zone of its caller. */
export async function startToldByPs(pid: number): Promise<string | undefined> {
  const ps = ['LC_ALL=C', 'TZ=UTC', 'ps', '-o', 'lstart=', '-p', String(pid)];
  return (await run('env', ps)).stdout.trim() || undefined;
}

/** The directory a process works in, where the system tells. */
export const workingDirectoryOf = (pid: number): Promise<string | undefined> =>
  readlink(`/proc/${pid}/cwd`).catch(() => undefined);
