import type { TimerRequest } from '@parley/event-store';
import { backoffMs, leaseMs } from '@parley/processing';
import { z } from 'zod';

export const numberWorkKind = 'number-work';
export const numberWorkId = (id: number): string => `${numberWorkKind}-${id}`;

const soonMs = 500;
const longestPauseMs = 5 * 60_000;
/** Milliseconds within which a request that was given up may still reach its provider. */
const recheckAfterMs = 60_000;

const payloadSchema = z.object({
  number_id: z.int(),
  account_id: z.int(),
  correlation_id: z.string(),
  attempt: z.int().nonnegative(),
});
export type NumberWorkPayload = z.output<typeof payloadSchema>;
export const numberWorkOf = (payload: unknown): NumberWorkPayload => payloadSchema.parse(payload);

/**
 * The one timer of a number with steps left to take; setting it again moves it. When it fires, the work is taken up.
 * - `lease`: a process is at work and renews it; longer when the work has failed often.
 * - `now`: no process is at work.
 * - `soon`: the work has just failed; the more often, the later.
 * - `recheck`: for the last look after a failed purchase.
 */
export function workTimer(
  { number_id, account_id, correlation_id, attempt }: NumberWorkPayload,
  due: 'lease' | 'now' | 'soon' | 'recheck' = 'lease',
): TimerRequest {
  const afterMs = {
    // A process's death is no failure of the work: only after several of them the lease is longer.
    lease: backoffMs(Math.max(1, attempt), leaseMs, longestPauseMs),
    now: 0,
    soon: backoffMs(attempt + 1, soonMs, longestPauseMs),
    recheck: recheckAfterMs,
  }[due];
  return {
    id: numberWorkId(number_id),
    kind: numberWorkKind,
    due: { afterMs },
    payload: { number_id, account_id, correlation_id, attempt },
  };
}
