import { median } from '../statistics.ts';

export interface Latencies {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
}

export function latenciesOf(values: readonly number[]): Latencies {
  const sorted = [...values].sort((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    count: sorted.length,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    slowestMs: sorted.at(-1) ?? Number.NaN,
  };
}

/** Medians of the rounds, and the slowest of all. */
export const overRounds = (rounds: readonly Latencies[]): Latencies => ({
  count: rounds.reduce((sum, { count }) => sum + count, 0),
  p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  slowestMs: Math.max(...rounds.map(({ slowestMs }) => slowestMs)),
});
