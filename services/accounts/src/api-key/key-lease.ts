import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For how long a gateway may go by what it knows of keys, from the moment it asked what was deleted. Long enough for a
 * question on its way in a busy moment, short enough to wait for.
 */
export const keyLeaseMs = 500;

/** Clocks of two machines differ by less than this in the time of a lease. */
const marginMs = 50;

/** Resolves when no gateway goes by what it knew before the call any more. */
export async function untilLeasesAreOver(): Promise<void> {
  const waitMs = keyLeaseMs + marginMs;
  const until = performance.now() + waitMs;
  // A timer counts from the beginning of its turn of the event loop, which may be a while ago.
  for (let leftMs = waitMs; leftMs > 0; leftMs = until - performance.now()) await sleep(leftMs);
}
