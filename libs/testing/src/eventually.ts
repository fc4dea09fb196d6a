import { setTimeout as sleep } from 'node:timers/promises';

/** Between two probes; milliseconds. */
const pauses = { shortest: 10, longest: 100 };

/**
 * Polls until `probe` resolves without throwing; rethrows its last error at the deadline, which a busy machine does not
 * meet. Without an interval, the longer it has waited the less often it asks: what it waits for has the machine.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  timeoutMs = 90_000,
  intervalMs?: number,
): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      const waitedMs = Date.now() - startedAt;
      if (waitedMs >= timeoutMs) throw error;
      await sleep(intervalMs ?? Math.min(pauses.longest, Math.max(pauses.shortest, waitedMs / 10)));
    }
  }
}
