const firstDelayMs = 100;
const longestDelayMs = 10_000;

/** A process that was up for this long has recovered: its next death counts as the first again. */
export const stableAfterMs = 5_000;

/** How long to wait before the start after `failures` deaths in a row: 100 ms, doubled up to 10 s. */
export const backoffMs = (failures: number): number =>
  Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, Math.min(failures, 20) - 1));
