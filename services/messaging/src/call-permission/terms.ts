import type { PermissionTerms } from './standing.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** The configured part of the terms; times in hours. */
export interface PermissionFigures {
  readonly CALL_PERMISSION_ASKS_PER_DAY: number;
  readonly CALL_PERMISSION_ASKS_PER_WEEK: number;
  readonly CALL_PERMISSION_SESSION_HOURS: number;
  readonly CALL_PERMISSION_GRANT_HOURS: number;
  readonly CALL_PERMISSION_COUNTRIES_WITHOUT_CALLS: readonly string[];
}

/** All terms of call permission, by the configured figures; times in milliseconds. */
export const termsOf = (figures: PermissionFigures): PermissionTerms => ({
  limits: [
    {
      window: '24h',
      windowMs: dayMs,
      max: figures.CALL_PERMISSION_ASKS_PER_DAY,
      reason: 'already_asked_24h',
    },
    { window: '7d', windowMs: 7 * dayMs, max: figures.CALL_PERMISSION_ASKS_PER_WEEK, reason: 'weekly_cap' },
  ],
  sessionMs: figures.CALL_PERMISSION_SESSION_HOURS * hourMs,
  temporaryGrantMs: figures.CALL_PERMISSION_GRANT_HOURS * hourMs,
  countriesWithoutCalls: figures.CALL_PERMISSION_COUNTRIES_WITHOUT_CALLS,
});
