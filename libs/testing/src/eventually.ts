import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until `probe` resolves without throwing; rethrows its last error at the deadline, which a busy machine does not meet. */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  timeoutMs = 90_000,
  intervalMs = 10,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
      await sleep(intervalMs);
    }
  }
}
