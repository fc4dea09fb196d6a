import type { WebhookDeliveryEvent } from '@parley/contracts';
import { golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import {
  after,
  afterFailures,
  afterFailuresAnd,
  cancelled,
  common,
  endpoint,
  failed,
  started,
  startedAt,
  succeeded,
  url,
} from '../delivery.fixture.ts';
import { type Delivery, delivery } from '../delivery.ts';
import { requestRedelivery } from '../request-redelivery.ts';
import { startAttempt } from './start-attempt.ts';

describe('an attempt', () => {
  const start = (state: Delivery, presentUrl: string | null = url, interruptedSince: string | null = null) =>
    startAttempt(state, { endpoint, presentUrl, isErased: false, interruptedSince });

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

  test('does not begin when the person it is about was erased', () => {
    const erased = { type: 'WebhookCancelled', data: { reason: 'erased' } };
    const command = { endpoint, presentUrl: url, isErased: true };
    expect(startAttempt(after(), { ...command, interruptedSince: null })).toEqual({
      kind: 'cancel',
      events: [erased],
    });
    const interrupted = startAttempt(after(started(1)), { ...command, interruptedSince: startedAt });
    expect(interrupted).toMatchObject({ events: [{ type: 'WebhookAttemptInterrupted' }, erased] });
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
      underWay: { attempt: 3, url },
    });
    expect(start(state, null, startedAt)).toMatchObject({ kind: 'cancel', events: [interrupted, cancelled] });
  });

  test('that was interrupted is on record with the URL that it went to, wherever it was asked to go meanwhile', () => {
    const elsewhere = 'https://hooks.example/b';
    const state = after(started(1), { type: 'WebhookRedeliveryRequested', data: { url: elsewhere } });
    expect(start(state, elsewhere, startedAt)).toMatchObject({
      url: elsewhere,
      events: [
        { type: 'WebhookAttemptInterrupted', data: common(1) },
        { type: 'WebhookAttemptStarted', data: { attempt: 2, url: elsewhere } },
      ],
    });
  });
});

describe('asking for another delivery', () => {
  const again: WebhookDeliveryEvent = {
    type: 'WebhookRedeliveryRequested',
    data: { url: 'https://hooks.example/b' },
  };

  test('begins the schedule anew at the URL of now, whatever became of it before', () => {
    for (const state of [after(), afterFailures(9), after(started(1), succeeded(1)), after(cancelled)]) {
      const asked = {
        url: 'https://hooks.example/b',
        queuedUrl: url,
        isLookedAfter: true,
        wasSetSince: false,
      };
      const events = requestRedelivery(state, asked);
      expect(events).toEqual([again]);
      const renewed = events.reduce(delivery.evolve, state);
      expect(renewed).toMatchObject({ status: 'pending', failures: 0, attempts: state.attempts });
      const start = startAttempt(renewed, {
        endpoint,
        presentUrl: 'https://hooks.example/b',
        isErased: false,
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
    const asked = { url, queuedUrl: url, isLookedAfter: true, wasSetSince: false };
    expect(requestRedelivery(after(started(1)), asked)).toEqual([]);
    expect(requestRedelivery(afterFailuresAnd(1), asked)).toEqual([]);
    expect(requestRedelivery(after(started(1), cancelled), asked)).toHaveLength(1);
  });

  test('is heard while it waits for its first attempt', () => {
    const asked = { url, queuedUrl: url, isLookedAfter: true, wasSetSince: false };
    expect(requestRedelivery(after(), asked)).toHaveLength(1);
  });

  test('is heard when nobody goes on with what was being sent', () => {
    const asked = { url, queuedUrl: url, isLookedAfter: false, wasSetSince: false };
    expect(requestRedelivery(after(started(1)), asked)).toHaveLength(1);
  });

  test('is heard while what is being sent may be cancelled, since its endpoint was turned off and on', () => {
    const asked = { url, queuedUrl: url, isLookedAfter: true, wasSetSince: true };
    expect(requestRedelivery(after(started(1)), asked)).toHaveLength(1);
  });

  test('is heard while it is being sent to another URL, and once is enough', () => {
    const asked = { url: 'https://hooks.example/b', queuedUrl: url, isLookedAfter: true, wasSetSince: false };
    expect(requestRedelivery(after(started(1)), asked)).toEqual([again]);
    expect(requestRedelivery(after(started(1), again), asked)).toEqual([]);
  });
});

test('golden events fold, and a type of a later version changes nothing', () => {
  const events = golden<WebhookDeliveryEvent>(
    'WebhookAttemptStarted.v1',
    'WebhookAttemptFailed.v1',
    'WebhookAttemptInterrupted.v1',
    'WebhookExhausted.v1',
    'WebhookCancelled.v1',
    'WebhookCancelled.v2',
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
    backfillId: null,
  });
  expect(delivery.evolve(state, { type: 'WebhookPraised', data: {} } as never)).toBe(state);
});
