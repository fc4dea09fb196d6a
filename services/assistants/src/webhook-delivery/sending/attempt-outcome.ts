import type { OutgoingResult } from '@parley/outgoing-http';
import { movedError, turnedOffError } from '../item.ts';
import type { AttemptOutcome } from './report-attempt.ts';
import { retryAfterMs } from './schedule.ts';

/**
 * What an endpoint's answer, or the lack of one, means. `now` is the world's clock, which `Retry-After` dates refer to.
 */
export function outcomeOf(result: OutgoingResult, now: Date): AttemptOutcome {
  const { durationMs } = result;
  if (result.kind === 'failed')
    return { statusCode: null, error: result.message, durationMs, retryAfterMs: null };
  const { status, headers } = result;
  if (status >= 200 && status < 300) return { statusCode: status, error: null, durationMs };
  const asked = retryAfterMs(headers['retry-after'], now);
  return { statusCode: status, error: errorOf(status), durationMs, retryAfterMs: asked };
}

/** Of an attempt whose webhooks go elsewhere by now, or with `null` nowhere: no request is made. */
export const notSent = (presentUrl: string | null): AttemptOutcome => ({
  statusCode: null,
  error: presentUrl === null ? turnedOffError : movedError,
  durationMs: 0,
  retryAfterMs: null,
});

const errorOf = (status: number): string =>
  status >= 300 && status < 400
    ? `The endpoint answered ${status}; redirects are not followed.`
    : `The endpoint answered ${status}.`;
