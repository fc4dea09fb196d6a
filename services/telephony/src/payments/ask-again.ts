import { setTimeout as sleep } from 'node:timers/promises';

const enoughMs = 2_500;
const pauseMs = 100;

/**
 * For what carries a key, or does nothing the second time: an unknown outcome is asked for again, once at least, and for
 * a while when the answers come quickly, as they do while the first request still runs there.
 */
export async function askAgain<T extends { readonly kind: string }>(ask: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + enoughMs;
  for (let tries = 1; ; tries += 1) {
    const outcome = await ask();
    if (outcome.kind !== 'unknown' || (tries > 1 && performance.now() > giveUpAt)) return outcome;
    await sleep(pauseMs);
  }
}
