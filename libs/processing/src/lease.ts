/** So long after whoever was at a piece of work has died, it is looked after; whoever lives renews it before. Milliseconds. */
export const leaseMs = 3_000;

/**
 * Does a piece of work whose timer is due after `leaseMs`, and moves that timer with `renew` until it is done. A renewal
 * that fails is made up for by the next one; where all of them fail, two are at the work, which it must allow for anyway.
 */
export function underLease<T>(renew: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let isRenewing = false;
  const renewals = setInterval(async () => {
    if (isRenewing) return;
    isRenewing = true;
    await renew().catch(() => undefined);
    isRenewing = false;
  }, leaseMs / 3);
  return work().finally(() => clearInterval(renewals));
}
