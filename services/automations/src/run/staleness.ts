import { isAtLimit } from './limits.ts';
import type { Run } from './run.ts';

/** Why a run can never be retried again. */
export type StaleReason = 'payloads_erased' | 'version_gone' | 'too_old' | 'after_delay' | 'limit_reached';

/** Until when a failed run can be retried, in milliseconds since the epoch: a long delay does not use the time up. */
export function validUntil({ resumedAt, startedAt, settings }: Run): number {
  if (settings.retryAfterDelay === 'refuse' && resumedAt !== null) return Date.parse(resumedAt);
  return Date.parse(resumedAt ?? startedAt) + settings.retryMaxAgeMs;
}

/** Once stale, stale for ever: nothing in it ever turns back. */
export function staleReason(run: Run, now: number, hasDefinition: boolean): StaleReason | undefined {
  if (run.isErased) return 'payloads_erased';
  if (!hasDefinition) return 'version_gone';
  if (run.settings.retryAfterDelay === 'refuse' && run.resumedAt !== null) return 'after_delay';
  if (now > validUntil(run)) return 'too_old';
  return isAtLimit(run) ? 'limit_reached' : undefined;
}
