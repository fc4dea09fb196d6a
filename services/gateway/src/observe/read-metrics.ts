import type { Registry } from 'prom-client';

/** How many times as long as they take to make they are good for; and for how long at most, in milliseconds. */
const restFactor = 9;
const longestRestMs = 1_000;

/**
 * The metrics as Prometheus reads them. Making them is much work, and anybody may ask: it takes a tenth of the time, however
 * often that is done.
 */
export function createMetricsReader(
  registry: Pick<Registry, 'metrics'>,
  now = () => performance.now(),
): () => Promise<string> {
  let latest: Promise<string> | undefined;
  let isGoodUntil = 0;

  async function make(): Promise<string> {
    const startedAt = now();
    try {
      return await registry.metrics();
    } finally {
      const endedAt = now();
      isGoodUntil = endedAt + Math.min(longestRestMs, restFactor * (endedAt - startedAt));
    }
  }

  return () => {
    if (latest && now() < isGoodUntil) return latest;
    isGoodUntil = Number.POSITIVE_INFINITY;
    latest = make();
    return latest;
  };
}
