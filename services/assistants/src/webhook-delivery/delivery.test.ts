import type { WebhookDeliveryEvent, WebhookEndpoint } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { outcomeOf } from './attempt-outcome.ts';
import { type Delivery, delivery } from './delivery.ts';
import { type AttemptOutcome, reportAttempt } from './report-attempt.ts';
import { requestRedelivery } from './request-redelivery.ts';
import { startAttempt } from './start-attempt.ts';

const url = 'https://hooks.example/a';
const endpoint: WebhookEndpoint = { event: 'post_call', assistant_id: 12, url };
const startedAt = '2026-11-21T09:30:00.000Z';
const now = new Date('2026-11-21T09:30:01.000Z');

const started = (attempt: number): WebhookDeliveryEvent => ({
  type: 'WebhookAttemptStarted',
  data: { attempt, url },
});
const common = (attempt: number) => ({ attempt, started_at: startedAt, endpoint });
const failed = (attempt: number): WebhookDeliveryEvent => ({
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
const succeeded = (attempt: number): WebhookDeliveryEvent => ({
  type: 'WebhookAttemptSucceeded',
  data: { ...common(attempt), duration_ms: 5, status_code: 200 },
});
const cancelled: WebhookDeliveryEvent = { type: 'WebhookCancelled', data: { reason: 'turned_off' } };
const after = (...events: WebhookDeliveryEvent[]): Delivery => given(delivery, ...events);
/** `count` attempts that failed. */
const afterFailures = (count: number) =>
  after(...Array.from({ length: count }, (_, n) => [started(n + 1), failed(n + 1)]).flat());

const answer = (statusCode: number | null, retryAfterMs: number | null = null): AttemptOutcome => ({
  statusCode,
  error: statusCode !== null && statusCode < 300 ? null : 'It failed.',
  durationMs: 5,
  retryAfterMs,
});

describe('an attempt', () => {
  const start = (state: Delivery, presentUrl: string | null = url, interruptedSince: string | null = null) =>
    startAttempt(state, { endpoint, presentUrl, interruptedSince });

  test('begins with its number and the URL it goes to', () => {
    expect(start(after())).toEqual({ kind: 'send', attempt: 1, url, events: [started(1)] });
    expect(start(afterFailures(3))).toMatchObject({ kind: 'send', attempt: 4, events: [started(4)] });
  });

  test('does not begin when its endpoint was turned off or is elsewhere now', () => {
    expect(start(after(), null)).toEqual({ kind: 'cancel', events: [cancelled] });
    expect(start(afterFailures(1), 'https://hooks.example/b')).toEqual({
      kind: 'cancel',
      events: [{ type: 'WebhookCancelled', data: { reason: 'url_changed' } }],
    });
  });

  test.each([
    ['delivered', after(started(1), succeeded(1))],
    ['cancelled', after(started(1), failed(1), cancelled)],
    ['exhausted', after(failed(1), { type: 'WebhookExhausted', data: { attempts: 10 } })],
  ])('does not begin for a delivery that is %s', (status, state) => {
    expect(state.status).toBe(status);
    expect(start(state)).toEqual({ kind: 'settled' });
  });

  test('that was interrupted is on record as such, made again under a new number, and counts as no failure', () => {
    const state = after(started(1), failed(1), started(2));
    const again = start(state, url, startedAt);
    const interrupted = { type: 'WebhookAttemptInterrupted', data: common(2) };
    expect(again).toMatchObject({ kind: 'send', attempt: 3, events: [interrupted, started(3)] });
    if (again.kind !== 'send') throw new Error('It is sent.');
    expect(again.events.reduce(delivery.evolve, state)).toMatchObject({
      attempts: 3,
      failures: 1,
      underWay: 3,
    });
    expect(start(state, null, startedAt)).toMatchObject({ kind: 'cancel', events: [interrupted, cancelled] });
  });
});

describe('a report', () => {
  const report = (
    state: Delivery,
    outcome: AttemptOutcome,
    attempt = state.attempts,
    failingSince: Date | null = null,
  ) => reportAttempt(state, { attempt, startedAt, endpoint, outcome, failingSince, now, random: 0.5 });

  test.each([200, 201, 202, 204, 299])('of %d means delivered', (status) => {
    const done = report(after(started(1)), answer(status));
    expect(done).toEqual({
      events: [
        { type: 'WebhookAttemptSucceeded', data: { ...common(1), duration_ms: 5, status_code: status } },
      ],
      retryInMs: null,
    });
  });

  test.each([300, 301, 302, 304, 307, 400, 401, 404, 408, 429, 500, 503, null])(
    'of %s means another attempt',
    (status) => {
      const again = report(afterFailuresAnd(1), answer(status));
      expect(again?.retryInMs).toBe(300_000);
      expect(again?.events).toMatchObject([
        {
          type: 'WebhookAttemptFailed',
          data: { status_code: status, retry_in_ms: 300_000, endpoint_fault: null },
        },
      ]);
    },
  );

  test('counts the schedule on, until all ten attempts have failed', () => {
    let state = after();
    const delays: (number | null)[] = [];
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      state = delivery.evolve(state, started(attempt));
      const outcome = report(state, answer(500));
      delays.push(outcome?.retryInMs ?? null);
      state = outcome?.events.reduce(delivery.evolve, state) ?? state;
    }
    expect(delays.map((delay) => delay && delay / 1000)).toEqual([
      5,
      300,
      1800,
      7200,
      18_000,
      36_000,
      50_400,
      72_000,
      86_400,
      null,
    ]);
    expect(state).toMatchObject({ status: 'exhausted', attempts: 10, failures: 10 });
  });

  test('honours the time a receiver names', () => {
    expect(report(after(started(1)), answer(503, 120_000))?.retryInMs).toBe(120_000);
  });

  test('of 410 turns the endpoint off and ends the delivery', () => {
    expect(report(after(started(1)), answer(410))).toEqual({
      events: [
        expect.objectContaining({
          type: 'WebhookAttemptFailed',
          data: expect.objectContaining({ endpoint_fault: 'gone', retry_in_ms: null }),
        }),
        cancelled,
      ],
      retryInMs: null,
    });
  });

  test('turns off an endpoint that has only failed for five days, not a second earlier', () => {
    const fiveDays = 5 * 24 * 3_600_000;
    const since = (ms: number) => new Date(now.getTime() - ms);
    expect(report(after(started(1)), answer(500), 1, since(fiveDays - 1000))?.retryInMs).toBe(5000);
    expect(report(after(started(1)), answer(500), 1, since(fiveDays))?.events).toMatchObject([
      { data: { endpoint_fault: 'failing', retry_in_ms: null } },
      cancelled,
    ]);
    expect(report(after(started(1)), answer(200), 1, since(fiveDays))?.events).toMatchObject([
      { type: 'WebhookAttemptSucceeded' },
    ]);
  });

  test('of an attempt that was under way when the endpoint was turned off is on record, and that is all', () => {
    const state = after(started(1), cancelled);
    expect(report(state, answer(500))).toMatchObject({
      events: [{ type: 'WebhookAttemptFailed', data: { retry_in_ms: null, endpoint_fault: null } }],
      retryInMs: null,
    });
    expect(after(started(1), cancelled, succeeded(1)).status).toBe('delivered');
    expect(after(started(1), cancelled, failed(1)).status).toBe('cancelled');
  });

  test('of a process that was taken for dead is refused', () => {
    const goneOn = after(started(1), { type: 'WebhookAttemptInterrupted', data: common(1) }, started(2));
    expect(report(goneOn, answer(200), 1)).toBeUndefined();
    expect(report(after(started(1), succeeded(1)), answer(200), 1)).toBeUndefined();
  });
});

const afterFailuresAnd = (count: number) => delivery.evolve(afterFailures(count), started(count + 1));

test('an answer becomes an outcome in plain words', () => {
  const answered = { kind: 'answered', headers: {}, body: '', isBodyCut: false, durationMs: 7 } as const;
  expect(outcomeOf({ ...answered, status: 204 }, now)).toEqual({
    statusCode: 204,
    error: null,
    durationMs: 7,
    retryAfterMs: null,
  });
  expect(outcomeOf({ ...answered, status: 302 }, now).error).toBe(
    'The endpoint answered 302; redirects are not followed.',
  );
  expect(outcomeOf({ ...answered, status: 503, headers: { 'retry-after': '7' } }, now)).toMatchObject({
    error: 'The endpoint answered 503.',
    retryAfterMs: 7000,
  });
  expect(
    outcomeOf({ ...answered, status: 200, headers: { 'retry-after': '7' } }, now).retryAfterMs,
  ).toBeNull();
  const failure = {
    kind: 'failed',
    reason: 'timeout',
    message: 'There was no answer in time.',
    durationMs: 15_000,
  } as const;
  expect(outcomeOf(failure, now)).toEqual({
    statusCode: null,
    error: 'There was no answer in time.',
    durationMs: 15_000,
    retryAfterMs: null,
  });
});

describe('asking for another delivery', () => {
  const again: WebhookDeliveryEvent = {
    type: 'WebhookRedeliveryRequested',
    data: { url: 'https://hooks.example/b' },
  };

  test('begins the schedule anew at the URL of now, whatever became of it before', () => {
    for (const state of [after(), afterFailures(9), after(started(1), succeeded(1)), after(cancelled)]) {
      const events = requestRedelivery(state, { url: 'https://hooks.example/b' });
      expect(events).toEqual([again]);
      const renewed = events.reduce(delivery.evolve, state);
      expect(renewed).toMatchObject({ status: 'pending', failures: 0, attempts: state.attempts });
      const start = startAttempt(renewed, {
        endpoint,
        presentUrl: 'https://hooks.example/b',
        interruptedSince: null,
      });
      expect(start).toMatchObject({
        kind: 'send',
        attempt: state.attempts + 1,
        url: 'https://hooks.example/b',
      });
    }
  });

  test('changes nothing while it is being sent', () => {
    expect(requestRedelivery(after(started(1)), { url })).toEqual([]);
    expect(requestRedelivery(after(started(1), cancelled), { url })).toHaveLength(1);
  });
});

test('golden events fold, and a type of a later version changes nothing', () => {
  const events = golden<WebhookDeliveryEvent>(
    'WebhookAttemptStarted.v1',
    'WebhookAttemptFailed.v1',
    'WebhookAttemptInterrupted.v1',
    'WebhookExhausted.v1',
    'WebhookCancelled.v1',
    'WebhookRedeliveryRequested.v1',
    'WebhookAttemptSucceeded.v1',
  );
  const state = after(...events);
  expect(state).toEqual({
    status: 'delivered',
    attempts: 1,
    failures: 0,
    underWay: null,
    redirectedTo: 'https://hooks.example/new',
  });
  expect(delivery.evolve(state, { type: 'WebhookPraised', data: {} } as never)).toBe(state);
});
