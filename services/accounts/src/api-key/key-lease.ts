import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The key lease in milliseconds: how long a gateway may rely on the keys it knows, counted from when it asked which
 * were deleted. Long enough for that question in a busy moment, short enough for a deletion to wait for.
 */
export const keyLeaseMs = 500;

/** Clocks of two machines differ by less than this in the time of a lease. */
const marginMs = 50;

/** Resolves when every lease from before the call has ended. */
export async function untilLeasesAreOver(): Promise<void> {
  const waitMs = keyLeaseMs + marginMs;
  const until = performance.now() + waitMs;
  // A timer counts from the beginning of its turn of the event loop, which may be a while ago.
  for (let leftMs = waitMs; leftMs > 0; leftMs = until - performance.now()) await sleep(leftMs);
}
