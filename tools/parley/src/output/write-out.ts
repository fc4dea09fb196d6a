import { once } from 'node:events';

/**
 * Writes to stdout; resolves when there is room for more or `stop` is aborted, so that what a slow reader (`|
 * less`) has not taken does not pile up in memory.
 */
export async function writeOut(text: string, stop?: AbortSignal): Promise<void> {
  if (process.stdout.write(text) || stop?.aborted) return;
  await once(process.stdout, 'drain', { signal: stop }).catch((error) => {
    if (!stop?.aborted) throw error;
  });
}
