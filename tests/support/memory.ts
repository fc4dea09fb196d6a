import { readFileSync } from 'node:fs';

/**
 * Resident memory of these processes together, in megabytes. `null` counts 0; throws for a process that does not
 * run.
 */
export function residentMb(pids: readonly (number | null)[]): number {
  const of = (pid: number | null): number => {
    if (pid === null) return 0;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  };
  return pids.reduce((sum: number, pid) => sum + of(pid), 0);
}
