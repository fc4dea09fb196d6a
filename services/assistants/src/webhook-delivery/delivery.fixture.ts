import type { WebhookDeliveryEvent, WebhookEndpoint } from '@parley/contracts';
import { given } from '@parley/testing';
import { type Delivery, delivery } from './delivery.ts';
import type { AttemptOutcome } from './sending/report-attempt.ts';

export const url = 'https://hooks.example/a';
export const endpoint: WebhookEndpoint = { event: 'post_call', assistant_id: 12, url };
export const startedAt = '2026-11-21T09:30:00.000Z';
export const now = new Date('2026-11-21T09:30:01.000Z');

export const started = (attempt: number): WebhookDeliveryEvent => ({
  type: 'WebhookAttemptStarted',
  data: { attempt, url },
});
export const common = (attempt: number) => ({ attempt, started_at: startedAt, endpoint });
export const failed = (attempt: number): WebhookDeliveryEvent => ({
  type: 'WebhookAttemptFailed',
  data: {
    ...common(attempt),
    duration_ms: 5,
    status_code: 500,
    error: 'The endpoint answered 500.',
    retry_in_ms: 5000,
    endpoint_fault: null,
  },
});
export const succeeded = (attempt: number): WebhookDeliveryEvent => ({
  type: 'WebhookAttemptSucceeded',
  data: { ...common(attempt), duration_ms: 5, status_code: 200 },
});
export const cancelled: WebhookDeliveryEvent = { type: 'WebhookCancelled', data: { reason: 'turned_off' } };
export const after = (...events: WebhookDeliveryEvent[]): Delivery => given(delivery, ...events);
/** `count` attempts that failed. */
export const afterFailures = (count: number) =>
  after(...Array.from({ length: count }, (_, n) => [started(n + 1), failed(n + 1)]).flat());

export const answer = (statusCode: number | null, retryAfterMs: number | null = null): AttemptOutcome =>
  statusCode !== null && statusCode < 300
    ? { statusCode, error: null, durationMs: 5 }
    : { statusCode, error: 'It failed.', durationMs: 5, retryAfterMs };
export const afterFailuresAnd = (count: number) => delivery.evolve(afterFailures(count), started(count + 1));
