import type { TimerRequest } from '@parley/event-store';
import { backoffMs, leaseMs } from '@parley/processing';
import { z } from 'zod';

export const numberWorkKind = 'number-work';
export const numberWorkId = (id: number): string => `${numberWorkKind}-${id}`;

const soonMs = 500;
const longestPauseMs = 5 * 60_000;
/** A request that was given up may still have reached its provider until then. */
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
 * The one timer of a number that something is to be done about: when whoever does it dies, or a provider fails, the work
 * is taken up again when it is due.
 * - `lease`: somebody is at it, and renews it meanwhile; what fails again and again is tried less and less often.
 * - `now`: nobody is.
 * - `soon`: whoever was at it has failed and knows it; less and less soon.
 * - `recheck`: a last look.
 */
export function workTimer(
  { number_id, account_id, correlation_id, attempt }: NumberWorkPayload,
  due: 'lease' | 'now' | 'soon' | 'recheck' = 'lease',
): TimerRequest {
  const afterMs = {
    // A death is no failure of the work: only what several have died of waits longer.
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
