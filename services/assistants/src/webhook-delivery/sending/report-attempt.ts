import type { EndpointFault, WebhookDeliveryEvent, WebhookEndpoint } from '@parley/contracts';
import type { Delivery } from '../delivery.ts';
import { wasNotSent } from '../item.ts';
import { failingForMs, nextAttemptInMs } from './schedule.ts';
import { cancelled } from './start-attempt.ts';

/** What came of a request, as far as decisions depend on it. */
export type AttemptOutcome =
  | { readonly error: null; readonly statusCode: number; readonly durationMs: number }
  | {
      /** Why it failed, in plain words. */
      readonly error: string;
      /** Null when there was no answer. */
      readonly statusCode: number | null;
      readonly durationMs: number;
      /** How long the receiver asked to wait; null when it asked for nothing. */
      readonly retryAfterMs: number | null;
    };
type Failure = Exclude<AttemptOutcome, { error: null }>;

/** What is known when an attempt reports. */
export interface ReportAttempt {
  readonly attempt: number;
  readonly startedAt: string;
  readonly endpoint: WebhookEndpoint;
  readonly outcome: AttemptOutcome;
  /** Since when no attempt has succeeded at the endpoint; null when the last one did, or none was made. */
  readonly failingSince: Date | null;
  /** The platform clock. */
  readonly now: Date;
  /** In [0, 1). */
  readonly random: number;
}

/** What a report comes to. */
export interface Report {
  readonly events: readonly WebhookDeliveryEvent[];
  /** Milliseconds until the next attempt; null when there is none, `asked` when somebody has asked for it already. */
  readonly retryInMs: number | 'asked' | null;
}

const gone = 410;

/**
 * Puts the outcome of an attempt on record, and decides what follows. Undefined when the attempt is not the one under
 * way: this process was taken for dead, and another has gone on.
 */
export function reportAttempt(state: Delivery, command: ReportAttempt): Report | undefined {
  const { attempt, outcome } = command;
  if (state.underWay?.attempt !== attempt) return undefined;
  const asked = askedElsewhere(state, command);
  if (asked !== null) return { events: [onRecord(command), asked], retryInMs: 'asked' };
  // It arrived, or the delivery was cancelled meanwhile: the outcome is recorded, and nothing follows.
  if (outcome.error === null || state.status !== 'pending')
    return { events: [onRecord(command)], retryInMs: null };
  const fault = faultOf(command);
  const retryInMs = fault === null ? delayOf(state, outcome, command) : null;
  const failed = onRecord(command, { retry_in_ms: retryInMs, endpoint_fault: fault });
  if (fault !== null) return { events: [failed, cancelled(true)], retryInMs };
  if (retryInMs !== null) return { events: [failed], retryInMs };
  const exhausted: WebhookDeliveryEvent = {
    type: 'WebhookExhausted',
    data: { attempts: state.failures + 1 },
  };
  return { events: [failed, exhausted], retryInMs };
}

/**
 * Repeats a request to send the delivery again that came while the attempt went to another URL: the outcome there must
 * not settle it. Null when the attempt went where the delivery is to go.
 */
function askedElsewhere(
  { status, redirectedTo: url, backfillId }: Delivery,
  { endpoint }: ReportAttempt,
): WebhookDeliveryEvent | null {
  if (status !== 'pending' || url === null || url === endpoint.url) return null;
  return backfillId === null
    ? { type: 'WebhookRedeliveryRequested', data: { url } }
    : { type: 'WebhookReplayRequested', data: { url, backfill_id: backfillId } };
}

interface Consequences {
  readonly retry_in_ms: number | null;
  readonly endpoint_fault: EndpointFault | null;
}

function onRecord(
  { attempt, startedAt, endpoint, outcome }: ReportAttempt,
  consequences: Consequences = { retry_in_ms: null, endpoint_fault: null },
): WebhookDeliveryEvent {
  const common = { attempt, started_at: startedAt, endpoint, duration_ms: outcome.durationMs };
  const { error, statusCode } = outcome;
  return error === null
    ? { type: 'WebhookAttemptSucceeded', data: { ...common, status_code: statusCode } }
    : { type: 'WebhookAttemptFailed', data: { ...common, status_code: statusCode, error, ...consequences } };
}

const delayOf = (
  { failures }: Delivery,
  { retryAfterMs }: Failure,
  { random }: ReportAttempt,
): number | null => nextAttemptInMs(failures + 1, { retryAfterMs, random });

function faultOf({ outcome, failingSince, now }: ReportAttempt): EndpointFault | null {
  if (outcome.statusCode === gone) return 'gone';
  if (wasNotSent(outcome.error)) return null;
  const failingMs = failingSince === null ? 0 : now.getTime() - failingSince.getTime();
  return failingMs >= failingForMs ? 'failing' : null;
}
