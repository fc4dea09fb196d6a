import { readdir, readFile } from 'node:fs/promises';

/** A process that stands for itself and everything it started. */
export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}

interface ProcessTimes {
  readonly parentPid: number;
  /** User and system time so far, with that of its children that have ended. */
  readonly cpuMs: number;
}

/** `USER_HZ`, in which Linux tells times to programs: 100 on every platform Node runs on. */
const tickMs = 10;

/** Every process of this machine by its id; Linux only, as is all of this file. */
async function readProcesses(): Promise<Map<number, ProcessTimes>> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const read = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The name, which may hold anything, ends with the last parenthesis; fields as in proc(5), from the third.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      return [pid, { parentPid: Number(fields[1]), cpuMs: ticks * tickMs }] as const;
    }),
  );
  return new Map(read.filter(([, { parentPid }]) => Number.isInteger(parentPid)));
}

/** The name whose process is nearest above each process of this machine; those below none are left out. */
async function namedProcesses(roots: readonly NamedProcess[]) {
  const processes = await readProcesses();
  const names = new Map(roots.map(({ name, pid }) => [pid, name]));
  const nameOf = (pid: number): string | undefined => {
    const parent = processes.get(pid)?.parentPid;
    return names.get(pid) ?? (parent ? nameOf(parent) : undefined);
  };
  return [...processes].flatMap(([pid, { cpuMs }]) => {
    const name = nameOf(pid);
    return name === undefined ? [] : [{ pid, name, cpuMs }];
  });
}

function sumByName<T extends { readonly name: string }>(
  items: readonly T[],
  value: (item: T) => number,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(item.name, (sums.get(item.name) ?? 0) + value(item));
  return sums;
}

/** Milliseconds of CPU time that each of them has used so far. */
export const cpuMsByName = async (roots: readonly NamedProcess[]): Promise<Map<string, number>> =>
  sumByName(await namedProcesses(roots), ({ cpuMs }) => cpuMs);

export interface Memory {
  /** Pages that several processes share count for each by its part. */
  readonly pssMib: number;
  /** They count for each in full. */
  readonly rssMib: number;
}

/** What each of them holds in memory now. */
export async function memoryByName(roots: readonly NamedProcess[]): Promise<Map<string, Memory>> {
  const found = await Promise.all(
    (await namedProcesses(roots)).map(async ({ pid, name }) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      const mibOf = (field: string) =>
        Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
      return { name, pssMib: mibOf('Pss'), rssMib: mibOf('Rss') };
    }),
  );
  const pss = sumByName(found, ({ pssMib }) => pssMib);
  const rss = sumByName(found, ({ rssMib }) => rssMib);
  return new Map([...pss].map(([name, pssMib]) => [name, { pssMib, rssMib: rss.get(name) ?? 0 }]));
}
