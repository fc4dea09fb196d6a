import { once } from 'node:events';

/**
 * Resolves when there is room for more, or `stop` is aborted: what a reader has not taken (`| less`) waits in this
 * process's memory.
 */
export async function writeOut(text: string, stop?: AbortSignal): Promise<void> {
  if (process.stdout.write(text) || stop?.aborted) return;
  await once(process.stdout, 'drain', { signal: stop }).catch((error) => {
    if (!stop?.aborted) throw error;
  });
}
