import type { FailureReason, OutgoingResult } from '@parley/outgoing-http';
import type { FailureClass } from '../run/step-class.ts';
import type { ActionOutcome } from './action.ts';

type Failure = Extract<ActionOutcome, { ok: false }>;

/** Neither the URL nor the answer's body is in a message: both may hold what must not be shown. */
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
    // Whoever leads elsewhere may have done it before.
    definite: status >= 400 && status < 500,
    ...(wait !== undefined && { retryAfterSeconds: wait, costsAttempt: true }),
  };
}

function classOf(status: number, isTemplatedUrl: boolean): FailureClass {
  if (status === 401 || status === 403) return 'missing_connection';
  return isTemplatedUrl && (status === 404 || status === 410) ? 'missing_record' : 'wiring_error';
}

/** Seconds; a date is held against the other side's own clock, where it tells that. */
function retryAfter({ 'retry-after': asked = '', date }: Readonly<Record<string, string>>) {
  const seconds = /^\d{1,6}$/.test(asked) ? Number(asked) : (momentOf(asked) - momentOf(date)) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(1, seconds);
}

/** Milliseconds since the epoch of a date as HTTP writes it (RFC 9110, section 5.6.7); `NaN` for any other text. */
const momentOf = (text = ''): number =>
  /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/i.test(text) ? Date.parse(text) : Number.NaN;

type Fate = Pick<Failure, 'code' | 'transient' | 'definite' | 'retryAfterSeconds'>;

const reasons: Readonly<Record<FailureReason, Fate>> = {
  refused: { code: 'URL_REFUSED', transient: false, definite: true },
  invalid_request: { code: 'INVALID_REQUEST', transient: false, definite: true },
  // The account's own requests are ahead of it: a turn, as at any limit of ours.
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

export const failedRequest = ({ reason, message }: Extract<OutgoingResult, { kind: 'failed' }>): Failure => ({
  ok: false,
  ...reasons[reason],
  class: 'wiring_error',
  message,
});
