import { setTimeout as sleep } from 'node:timers/promises';

const waitMs = 1_000;
const pollMs = 50;

/**
 * For a provider's answer that left open whether it took the request: its callback tells, most often at once. Waits
 * until `isOpen` is false, at most a second.
 */
export async function untilTold(isOpen: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline && (await isOpen())) await sleep(pollMs);
}
