import { backoffMs, isOutage, longestOutagePauseMs, pause } from './backoff.ts';

/**
 * What has happened outside must be put on record, however long the database is away; only the process's end stops the
 * attempts. Rejects with anything else that `task` throws. Nobody may know whether an attempt that failed was written:
 * `task` looks at what stands in the log each time.
 */
export async function throughOutages<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await task();
    } catch (error) {
      if (!isOutage(error) || signal.aborted) throw error;
      await pause(backoffMs(failures, 20, longestOutagePauseMs), signal);
    }
  }
}
