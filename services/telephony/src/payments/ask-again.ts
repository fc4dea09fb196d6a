import { setTimeout as sleep } from 'node:timers/promises';

const enoughMs = 2_500;
const pauseMs = 100;

const realTime = { now: () => performance.now(), sleep: (ms: number): Promise<unknown> => sleep(ms) };

/**
 * Repeats a request whose outcome is unknown: at least once, and for 2.5 s after the first when answers come quickly,
 * as they do while the first request still runs at the provider. Only for requests with a key, or without effect the
 * second time.
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
