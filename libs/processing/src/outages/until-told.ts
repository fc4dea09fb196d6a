import { setTimeout as sleep } from 'node:timers/promises';

const waitMs = 1_000;
const pollMs = 50;

/** What a provider took without saying so is told by one of its callbacks, most often at once: waits a second for that. */
export async function untilTold(isOpen: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline && (await isOpen())) await sleep(pollMs);
}
