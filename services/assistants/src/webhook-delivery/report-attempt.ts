import type { EndpointFault, WebhookDeliveryEvent, WebhookEndpoint } from '@parley/contracts';
import type { Delivery } from './delivery.ts';
import { failingForMs, nextAttemptInMs } from './schedule.ts';
import { cancelled } from './start-attempt.ts';

/** What came of a request, in the terms that decide. */
export type AttemptOutcome =
  | { readonly error: null; readonly statusCode: number; readonly durationMs: number }
  | {
      /** In plain words. */
      readonly error: string;
      /** Null when there was no answer. */
      readonly statusCode: number | null;
      readonly durationMs: number;
      /** What the receiver asked for; null when it asked for nothing. */
      readonly retryAfterMs: number | null;
    };
type Failure = Exclude<AttemptOutcome, { error: null }>;

export interface ReportAttempt {
  readonly attempt: number;
  readonly startedAt: string;
  readonly endpoint: WebhookEndpoint;
  readonly outcome: AttemptOutcome;
  /** Since when nothing reached the endpoint; null when the last attempt did, or none was made. */
  readonly failingSince: Date | null;
  /** The platform clock. */
  readonly now: Date;
  /** In [0, 1). */
  readonly random: number;
}

export interface Report {
  readonly events: readonly WebhookDeliveryEvent[];
  /** Milliseconds until the next attempt; null when there is none. */
  readonly retryInMs: number | null;
}

const gone = 410;

/** Undefined when the attempt is not the one under way: this process was taken for dead, and another has gone on. */
export function reportAttempt(state: Delivery, command: ReportAttempt): Report | undefined {
  const { attempt, startedAt, endpoint, outcome } = command;
  if (state.underWay !== attempt) return undefined;
  const common = { attempt, started_at: startedAt, endpoint, duration_ms: outcome.durationMs };
  if (outcome.error === null) {
    const succeeded = { ...common, status_code: outcome.statusCode };
    return { events: [{ type: 'WebhookAttemptSucceeded', data: succeeded }], retryInMs: null };
  }
  // Turned off while this was under way: it is on record, and that is all.
  const fault = state.status === 'pending' ? faultOf(command) : null;
  const retryInMs = state.status === 'pending' && fault === null ? delayOf(state, outcome, command) : null;
  const failed: WebhookDeliveryEvent = {
    type: 'WebhookAttemptFailed',
    data: {
      ...common,
      status_code: outcome.statusCode,
      error: outcome.error,
      retry_in_ms: retryInMs,
      endpoint_fault: fault,
    },
  };
  if (fault !== null) return { events: [failed, cancelled(true)], retryInMs };
  if (retryInMs !== null || state.status !== 'pending') return { events: [failed], retryInMs };
  const exhausted: WebhookDeliveryEvent = {
    type: 'WebhookExhausted',
    data: { attempts: state.failures + 1 },
  };
  return { events: [failed, exhausted], retryInMs };
}

const delayOf = (
  { failures }: Delivery,
  { retryAfterMs }: Failure,
  { random }: ReportAttempt,
): number | null => nextAttemptInMs(failures + 1, { retryAfterMs, random });

function faultOf({ outcome, failingSince, now }: ReportAttempt): EndpointFault | null {
  if (outcome.statusCode === gone) return 'gone';
  const failingMs = failingSince === null ? 0 : now.getTime() - failingSince.getTime();
  return failingMs >= failingForMs ? 'failing' : null;
}
