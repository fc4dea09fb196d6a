import { backoffMs, isOutage, pause } from '@parley/processing';

/**
 * What has happened outside must be put on record, however long the database is away; only the process's end stops the
 * attempts. Rejects with anything else that `task` throws.
 */
export async function throughOutages<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await task();
    } catch (error) {
      if (!isOutage(error) || signal.aborted) throw error;
      await pause(backoffMs(failures, 20, 1_000), signal);
    }
  }
}
