/** Milliseconds after which work is taken over from a process that died; a living one renews its lease before. */
export const leaseMs = 3_000;

/**
 * Does work whose timer is due after `leaseMs`, or later by `everyMs`, and moves the timer with `renew` until the work
 * is done. A failed renewal is made up for by the next one; where all fail, two processes may do the work, which it must
 * allow for anyway.
 */
export function underLease<T>(
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
  everyMs = leaseMs / 3,
): Promise<T> {
  let isRenewing = false;
  const renewals = setInterval(async () => {
    if (isRenewing) return;
    isRenewing = true;
    await renew().catch(() => undefined);
    isRenewing = false;
  }, everyMs);
  return work().finally(() => clearInterval(renewals));
}
