import { backoffMs } from '@parley/processing';

const baseMs = 2_000;
const capMs = 15 * 60_000;
const longestMs = 24 * 60 * 60_000;

/**
 * Milliseconds until the next attempt after the given one, counted from 1: doubling from 2 s up to 15 min, give or take
 * a fifth by `chance` in [0, 1); no less than the other side asked for, and a day at most.
 */
export function stepBackoffMs(attempt: number, chance: number, retryAfterSeconds?: number): number {
  const planned = backoffMs(attempt, baseMs, capMs) * (0.8 + 0.4 * chance);
  const asked = (retryAfterSeconds ?? 0) * 1_000;
  return Math.round(Math.min(longestMs, Math.max(planned, asked)));
}

const firstTurnMs = 250;
const longestTurnMs = 30_000;
const manyTurns = 100;

/**
 * Milliseconds until a step tries again after a limit was used up: as long as the limit says or, where that is more, a
 * time that doubles with each attempt up to 30 s. From the hundredth attempt on it grows with their number, since all
 * of them stay in the log. On top comes up to a fifth by `chance`, so that those who wait do not all come at once.
 */
export function turnMs(attempt: number, chance: number, retryAfterSeconds: number): number {
  const longest = longestTurnMs * Math.max(1, attempt / manyTurns);
  const patient = backoffMs(attempt, firstTurnMs, longest);
  return Math.round(Math.min(longestMs, Math.max(patient, retryAfterSeconds * 1_000) * (1 + 0.2 * chance)));
}

const firstLookMs = 500;
const longestLookMs = 15_000;

/**
 * How long until a step whose backoff is over looks for a place again after so many looks: from half a second, doubling
 * to 15 s, and up to a fifth more by `chance` in [0, 1).
 */
export const placeMs = (looks: number, chance: number): number =>
  Math.round(backoffMs(looks + 1, firstLookMs, longestLookMs) * (1 + 0.2 * chance));
