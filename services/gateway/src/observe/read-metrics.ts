import type { Registry } from 'prom-client';

/** A text is reused for so many times as long as it took to make, and at most for the limit here, in milliseconds. */
const restFactor = 9;
const longestRestMs = 1_000;

/**
 * The metrics in the format of Prometheus. Collecting them is expensive and anybody may ask, so the text is reused:
 * at most a tenth of the time goes into it.
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
