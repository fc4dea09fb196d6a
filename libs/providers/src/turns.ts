import { FairSemaphore } from '@parley/batching';
import type { ProviderResult } from './provider-result.ts';

/** Does the work when it is its turn, by a key such as a number; what waits too long is `unavailable`, and not begun. */
export type InTurn = <T>(key: string, work: () => Promise<ProviderResult<T>>) => Promise<ProviderResult<T>>;

/**
 * Turns for requests to a provider, no more at once than its client opens connections: else the client would queue those
 * that have none yet, and after a time-out nobody could tell that they were never sent.
 */
export function createTurns({
  timeoutMs,
  ...bounds
}: {
  readonly max: number;
  readonly maxPerKey: number;
  /** Milliseconds. */
  readonly timeoutMs: number;
}): InTurn {
  const places = new FairSemaphore(bounds);
  return async (key, work) => {
    const giveBack = await places.acquire(key, AbortSignal.timeout(timeoutMs)).catch(() => null);
    if (!giveBack) return { kind: 'unavailable', message: 'Too many requests are on their way.' };
    return work().finally(giveBack);
  };
}
