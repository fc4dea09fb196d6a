import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface RunningProcess {
  readonly pid: number;
  /** Its command line; on systems without /proc split at blanks, so look for whole texts with `commandLine`. */
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
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid, commandLine: text.replace(/\0$/, '').replaceAll('\0', ' ') };
    }),
  );
  return found.filter(({ commandLine }) => commandLine !== '');
}

async function listFromPs(): Promise<RunningProcess[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, commandLine] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid && commandLine ? [{ pid: Number(pid), commandLine }] : [];
  });
}

/**
 * Tells a process from every other one that ever had its id: when it was started, and since which boot.
 * `undefined` when there is no such process.
 */
export async function identifyProcess(pid: number): Promise<string | undefined> {
  try {
    if (process.platform !== 'linux') {
      return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim() || undefined;
    }
    const [boot, status] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    const [state, ...fields] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : `${boot.trim()} ${fields[18]}`;
  } catch {
    return undefined;
  }
}

/** The directory a process works in, where the system tells. */
export const workingDirectoryOf = (pid: number): Promise<string | undefined> =>
  readlink(`/proc/${pid}/cwd`).catch(() => undefined);
