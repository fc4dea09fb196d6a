import { setTimeout as sleep } from 'node:timers/promises';

const enoughMs = 2_500;
const pauseMs = 100;

const realTime = { now: () => performance.now(), sleep: (ms: number): Promise<unknown> => sleep(ms) };

/**
 * For what carries a key, or does nothing the second time: an unknown outcome is asked for again, once at least, and for
 * a while after the first one when the answers come quickly, as they do while the first request still runs there.
 */
export async function askAgain<T extends { readonly kind: string }>(
  ask: () => Promise<T>,
  time = realTime,
): Promise<T> {
  let giveUpAt: number | undefined;
  for (;;) {
    const outcome = await ask();
    if (outcome.kind !== 'unknown' || (giveUpAt !== undefined && time.now() > giveUpAt)) return outcome;
    giveUpAt ??= time.now() + enoughMs;
    await time.sleep(pauseMs);
  }
}
