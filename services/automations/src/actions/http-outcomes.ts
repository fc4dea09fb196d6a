import type { FailureReason, OutgoingResult } from '@parley/outgoing-http';
import type { FailureClass } from '../run/step-class.ts';
import type { ActionOutcome } from './action.ts';

type Failure = Extract<ActionOutcome, { ok: false }>;

/**
 * The failure of a step whose request was answered with a status other than 2xx. Its message holds neither the URL nor
 * the answer's body: both may hold what must not be shown.
 */
export function failedStatus(
  status: number,
  headers: Readonly<Record<string, string>>,
  isTemplatedUrl: boolean,
): Failure {
  const wait = retryAfter(headers);
  return {
    ok: false,
    code: `HTTP_${status}`,
    class: classOf(status, isTemplatedUrl),
    message: `The answer was ${status}.`,
    transient: status === 408 || status === 425 || status === 429 || status >= 500,
    // Only 4xx says that nothing was done: whoever redirects, which is not followed, may have done it before.
    definite: status >= 400 && status < 500,
    ...(wait !== undefined && { retryAfterSeconds: wait, costsAttempt: true }),
  };
}

function classOf(status: number, isTemplatedUrl: boolean): FailureClass {
  if (status === 401 || status === 403) return 'missing_connection';
  return isTemplatedUrl && (status === 404 || status === 410) ? 'missing_record' : 'wiring_error';
}

/**
 * Seconds to wait by `Retry-After`, at least one; a date is compared with the answer's own `Date`. Undefined when there
 * is none.
 */
function retryAfter({ 'retry-after': asked = '', date }: Readonly<Record<string, string>>) {
  const seconds = /^\d+$/.test(asked) ? Number(asked) : (momentOf(asked) - momentOf(date)) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(1, seconds);
}

/** Milliseconds since the epoch of a date as HTTP writes it (RFC 9110, section 5.6.7); `NaN` for any other text. */
const momentOf = (text = ''): number =>
  /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/i.test(text) ? Date.parse(text) : Number.NaN;

type Fate = Pick<Failure, 'code' | 'transient' | 'definite' | 'retryAfterSeconds'>;

const reasons: Readonly<Record<FailureReason, Fate>> = {
  refused: { code: 'URL_REFUSED', transient: false, definite: true },
  invalid_request: { code: 'INVALID_REQUEST', transient: false, definite: true },
  // A limit of ours: the account's other requests are ahead, and waiting costs no attempt.
  no_place: { code: 'NO_PLACE', transient: true, definite: true, retryAfterSeconds: 1 },
  host_not_found: { code: 'HOST_NOT_FOUND', transient: true, definite: true },
  connection_failed: { code: 'CONNECTION_FAILED', transient: true, definite: true },
  connection_closed: { code: 'CONNECTION_CLOSED', transient: true, definite: false },
  tls: { code: 'TLS_FAILED', transient: false, definite: true },
  not_http: { code: 'NOT_HTTP', transient: false, definite: false },
  timeout: { code: 'HTTP_TIMEOUT', transient: true, definite: false },
  aborted: { code: 'ABORTED', transient: true, definite: false },
  other: { code: 'REQUEST_FAILED', transient: true, definite: false },
};

/** The failure of a step whose request got no answer. */
export const failedRequest = ({ reason, message }: Extract<OutgoingResult, { kind: 'failed' }>): Failure => ({
  ok: false,
  ...reasons[reason],
  class: 'wiring_error',
  message,
});
