import type { Micros } from '@parley/contracts';

/** Each begun minute counts in full. */
export const minutesOf = (durationS: number): number => Math.ceil(durationS / 60);

/** What a call of that length costs at most. */
export const mostMicros = (maxDurationS: number, minutePriceMicros: Micros): Micros =>
  minutesOf(maxDurationS) * minutePriceMicros;
