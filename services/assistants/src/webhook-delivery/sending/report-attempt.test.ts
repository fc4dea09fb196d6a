import type { WebhookDeliveryEvent } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import {
  after,
  afterFailuresAnd,
  answer,
  cancelled,
  common,
  endpoint,
  failed,
  now,
  started,
  startedAt,
  succeeded,
  url,
} from '../delivery.fixture.ts';
import { type Delivery, delivery } from '../delivery.ts';
import { notSent, outcomeOf } from './attempt-outcome.ts';
import { type AttemptOutcome, type Report, reportAttempt } from './report-attempt.ts';

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
    let last: WebhookDeliveryEvent | undefined;
    const delays: (Report['retryInMs'] | undefined)[] = [];
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      state = delivery.evolve(state, started(attempt));
      const outcome = report(state, answer(500));
      delays.push(outcome?.retryInMs);
      last = outcome?.events.at(-1);
      state = outcome?.events.reduce(delivery.evolve, state) ?? state;
    }
    expect(delays.map((delay) => (typeof delay === 'number' ? delay / 1000 : delay))).toEqual([
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
    expect(last).toEqual({ type: 'WebhookExhausted', data: { attempts: 10 } });
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

  test.each([
    [null, 'The webhook was turned off before it was sent.'],
    ['https://elsewhere.example/hook', 'The webhook was given another URL before it was sent.'],
  ])('of a request that was not made says nothing about the endpoint: now at %j', (presentUrl, error) => {
    expect(report(after(started(1)), notSent(presentUrl), 1, new Date(0))).toMatchObject({
      events: [{ type: 'WebhookAttemptFailed', data: { error, endpoint_fault: null } }],
      retryInMs: 5000,
    });
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

  test('of an attempt that was asked for, at the URL that was asked for, settles it', () => {
    const asked: WebhookDeliveryEvent = { type: 'WebhookRedeliveryRequested', data: { url } };
    for (const state of [after(asked, started(1)), after(started(1), asked)])
      expect(report(state, answer(200))).toMatchObject({
        events: [{ type: 'WebhookAttemptSucceeded' }],
        retryInMs: null,
      });
  });

  describe('of an attempt at a URL that it is not to go to any more', () => {
    const elsewhere = 'https://hooks.example/b';
    const redelivery = { type: 'WebhookRedeliveryRequested', data: { url: elsewhere } } as const;
    const replay = {
      type: 'WebhookReplayRequested',
      data: { url: elsewhere, backfill_id: '0193e2a0-0000-7000-8000-000000000002' },
    } as const;
    const tenDaysAgo = new Date(now.getTime() - 10 * 24 * 3_600_000);

    test.each([
      [200, redelivery],
      [410, redelivery],
      [500, redelivery],
      [200, replay],
    ] as const)(
      'settles nothing, whether it answered %d: it still goes where it was asked for',
      (status, asked) => {
        const state = after(started(1), cancelled, asked);
        const done = report(state, answer(status), 1, tenDaysAgo);
        const outcome = status === 200 ? {} : { retry_in_ms: null, endpoint_fault: null };
        expect(done).toMatchObject({
          events: [{ data: { ...common(1), status_code: status, ...outcome } }, asked],
          retryInMs: 'asked',
        });
        const waiting = { status: 'pending', failures: 0, underWay: null, redirectedTo: elsewhere };
        expect(done?.events.reduce(delivery.evolve, state)).toEqual({ ...state, ...waiting });
      },
    );

    test('is not among the ten that exhaust it', () => {
      const state = [cancelled, redelivery].reduce(delivery.evolve, afterFailuresAnd(9));
      expect(report(state, answer(500))?.events).toMatchObject([{ data: { attempt: 10 } }, redelivery]);
    });

    test('is on record and no more when that was cancelled as well', () => {
      const state = after(started(1), cancelled, redelivery, cancelled);
      expect(report(state, answer(500))).toMatchObject({ events: [failed(1)].map(({ type }) => ({ type })) });
      expect(report(state, answer(500))?.retryInMs).toBeNull();
    });
  });

  test('of a process that was taken for dead is refused', () => {
    const goneOn = after(started(1), { type: 'WebhookAttemptInterrupted', data: common(1) }, started(2));
    expect(report(goneOn, answer(200), 1)).toBeUndefined();
    expect(report(after(started(1), succeeded(1)), answer(200), 1)).toBeUndefined();
  });
});

test('an answer becomes an outcome in plain words', () => {
  const answered = { kind: 'answered', headers: {}, body: '', isBodyCut: false, durationMs: 7 } as const;
  expect(outcomeOf({ ...answered, status: 204 }, now)).toEqual({
    statusCode: 204,
    error: null,
    durationMs: 7,
  });
  for (const status of [300, 302, 399])
    expect(outcomeOf({ ...answered, status }, now).error).toBe(
      `The endpoint answered ${status}; redirects are not followed.`,
    );
  for (const status of [199, 400])
    expect(outcomeOf({ ...answered, status }, now).error).toBe(`The endpoint answered ${status}.`);
  expect(outcomeOf({ ...answered, status: 503, headers: { 'retry-after': '7' } }, now)).toMatchObject({
    error: 'The endpoint answered 503.',
    retryAfterMs: 7000,
  });
  const eager = { ...answered, status: 200, headers: { 'retry-after': '7' } };
  expect(outcomeOf(eager, now)).not.toHaveProperty('retryAfterMs');
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
