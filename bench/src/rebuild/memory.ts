import { readFile, writeFile } from 'node:fs/promises';

/** From now on the peak is what the process holds now. Linux only, as is `peakRssMib`. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');

/** The most memory a process has held. */
export async function peakRssMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
