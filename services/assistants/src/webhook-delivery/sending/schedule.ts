const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds before each attempt, counted from the end of the one before (decisions, section 5). */
export const attemptDelaysMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Share of a delay by which it is moved either way, so that what failed together does not come back together. */
const jitter = 0.2;
const shortestRetryAfterMs = second;
const longestRetryAfterMs = 24 * hour;

/**
 * Milliseconds until the next attempt after `failures` failed ones; null when that was the last. `random` is in [0, 1).
 * What the receiver asks for by `retryAfterMs` goes first, but within a second and a day.
 */
export function nextAttemptInMs(
  failures: number,
  { retryAfterMs, random }: { readonly retryAfterMs: number | null; readonly random: number },
): number | null {
  const delayMs = attemptDelaysMs[failures];
  if (delayMs === undefined) return null;
  if (retryAfterMs !== null)
    return Math.min(Math.max(retryAfterMs, shortestRetryAfterMs), longestRetryAfterMs);
  return Math.round(delayMs * (1 - jitter + 2 * jitter * random));
}

/**
 * `Retry-After` in milliseconds: seconds, or a date (RFC 9110, section 10.2.3) compared with the world's clock, which
 * is the receiver's. Null for anything else. Not limited yet; a date in the past is negative.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text) * second;
  const isDate = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text);
  // One of the three forms of HTTP dates ends with the year and names no zone; all three mean GMT.
  const zone = / \d{4}$/.test(text) ? ' GMT' : '';
  const at = isDate ? Date.parse(text + zone) : Number.NaN;
  return Number.isNaN(at) ? null : at - now.getTime();
}

/** How long an endpoint may fail without a success in between before it is turned off. */
export const failingForMs = 5 * 24 * hour;
