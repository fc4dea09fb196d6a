import type { Micros } from '@parley/contracts';

/** Minutes to pay for: each begun minute counts in full. */
export const minutesOf = (durationS: number): number => Math.ceil(durationS / 60);

/** The most that a call of at most `maxDurationS` seconds costs, in micros. */
export const mostMicros = (maxDurationS: number, minutePriceMicros: Micros): Micros =>
  minutesOf(maxDurationS) * minutePriceMicros;
