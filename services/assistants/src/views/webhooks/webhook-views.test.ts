import type { WebhookDeliveryEvent, WebhookEndpoint, WebhookQueuedEvent } from '@parley/contracts';
import { recorded } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { interruptedError, movedError, turnedOffError } from '../../webhook-delivery/item.ts';
import { endpointKey, healthChanges, type RecordedHealthEvent } from './endpoint-health.ts';
import { deliveryChanges, type RecordedDeliveryEvent } from './webhook-delivery-changes.ts';

const endpoint: WebhookEndpoint = { event: 'post_call', assistant_id: 12, url: 'https://hooks.example/a' };
const at = (second: number) => `2026-11-21T09:30:0${second}.000123Z`;
const common = { attempt: 1, started_at: '2026-11-21T09:30:00.000Z', endpoint };

let position = 0;
const happened = (
  id: string,
  event: WebhookDeliveryEvent | WebhookQueuedEvent,
  second = 0,
): RecordedDeliveryEvent => {
  position += 1;
  const streamId = event.type === 'WebhookQueued' ? 'webhook-queue-3:post_call' : `webhook-delivery-${id}`;
  // What `recorded` gives has the event's own type and data.
  return recorded(event, {
    position,
    streamId,
    accountId: 3,
    recordedAt: at(second),
  }) as RecordedDeliveryEvent;
};
const queued = (id: string): WebhookQueuedEvent => ({
  type: 'WebhookQueued',
  data: {
    delivery_id: id,
    event_id: '0193e2a0-0000-7000-8000-000000000001',
    sequence: 1,
    endpoint,
    body: '{}',
    occurred_at: at(0),
  },
});
const failed = {
  type: 'WebhookAttemptFailed',
  data: {
    ...common,
    duration_ms: 5,
    status_code: 500,
    error: 'No.',
    retry_in_ms: 5000,
    endpoint_fault: null,
  },
} as const satisfies WebhookDeliveryEvent;
const succeeded: WebhookDeliveryEvent = {
  type: 'WebhookAttemptSucceeded',
  data: { ...common, attempt: 2, duration_ms: 6, status_code: 200 },
};

describe('a batch of events comes to one change per delivery', () => {
  test('with the attempts in order', () => {
    const events = [
      happened('a', queued('a')),
      happened('b', { type: 'WebhookCancelled', data: { reason: 'turned_off' } }),
      happened('a', { type: 'WebhookAttemptStarted', data: { attempt: 1, url: endpoint.url } }),
      happened('a', failed, 1),
      happened('a', succeeded, 2),
    ];
    const [a, b] = deliveryChanges(events);
    expect(a).toMatchObject({ id: 'a', status: 'delivered', nextAttemptAt: null, url: endpoint.url });
    expect(a?.queued).toBe(events[0]);
    expect(a?.attempts.map((attempt) => JSON.parse(attempt))).toEqual([
      { attempt: 1, at: common.started_at, duration_ms: 5, status_code: 500, error: 'No.' },
      { attempt: 2, at: common.started_at, duration_ms: 6, status_code: 200, error: null },
    ]);
    expect(b).toEqual({ id: 'b', status: 'cancelled', nextAttemptAt: null, attempts: [] });
  });

  test('with the moment of the next attempt', () => {
    expect(deliveryChanges([happened('a', failed, 1)])).toMatchObject([
      { nextAttemptAt: '2026-11-21T09:30:06.000Z' },
    ]);
    const again = happened(
      'a',
      { type: 'WebhookRedeliveryRequested', data: { url: 'https://b.example' } },
      3,
    );
    expect(deliveryChanges([again])).toEqual([
      {
        id: 'a',
        status: 'pending',
        url: 'https://b.example',
        nextAttemptAt: '2026-11-21T09:30:03.000Z',
        activePosition: again.position,
        attempts: [],
      },
    ]);
  });

  test('with an interrupted attempt, whose duration nobody knows', () => {
    const [change] = deliveryChanges([happened('a', { type: 'WebhookAttemptInterrupted', data: common })]);
    expect(change?.attempts.map((attempt) => JSON.parse(attempt))).toEqual([
      { attempt: 1, at: common.started_at, duration_ms: null, status_code: null, error: interruptedError },
    ]);
  });
});

describe('the health of an endpoint', () => {
  const health = (...events: (WebhookDeliveryEvent | RecordedHealthEvent)[]) =>
    healthChanges(
      events.map((event, second) =>
        'position' in event ? event : (happened('a', event, second) as RecordedHealthEvent),
      ),
    );
  const key = { accountId: 3, endpoint: endpointKey(endpoint) };
  const elsewhere = 'https://hooks.example/b';
  const enabled = (webhook_url: string) =>
    recorded({ type: 'WebhookEnabled', data: { webhook_url } } as const, {
      streamId: 'assistant-12',
      accountId: 3,
    });

  test('begins to fail with the first failure', () => {
    expect(health(failed, failed)).toEqual([{ ...key, isReset: false, failingSince: at(0) }]);
  });

  test('is whole again with one success, and begins to fail with the next failure', () => {
    expect(health(failed, succeeded)).toEqual([{ ...key, isReset: true, failingSince: null }]);
    expect(health(failed, succeeded, failed, failed)).toEqual([
      { ...key, isReset: true, failingSince: at(2) },
    ]);
  });

  test('counts anew when the endpoint is set anew', () => {
    expect(health(failed, enabled(endpoint.url))).toEqual([{ ...key, isReset: true, failingSince: null }]);
    const { url } = endpoint;
    const inbound = recorded({ type: 'InboundWebhookEnabled', data: { inbound_webhook_url: url } } as const, {
      streamId: 'assistant-12',
      accountId: 3,
    });
    const voice = recorded({ type: 'VoiceWebhookSet', data: { url } } as const, { accountId: 3 });
    expect(health(inbound, voice).map((change) => change.endpoint)).toEqual([
      endpointKey({ event: 'inbound_call', assistant_id: 12, url }),
      endpointKey({ event: 'chatapp_voice', assistant_id: null, url }),
    ]);
  });

  test('is of one URL: what fails or succeeds late at an earlier one says nothing about that of now', () => {
    const now = { ...key, endpoint: endpointKey({ ...endpoint, url: elsewhere }) };
    expect(health(enabled(elsewhere), failed)).toEqual([
      { ...now, isReset: true, failingSince: null },
      { ...key, isReset: false, failingSince: at(1) },
    ]);
    expect(health(enabled(elsewhere), succeeded).map((change) => change.endpoint)).toEqual([
      now.endpoint,
      key.endpoint,
    ]);
  });

  test('is not touched by what says nothing about it', () => {
    expect(health({ type: 'WebhookCancelled', data: { reason: 'turned_off' } })).toEqual([]);
    const off = recorded({ type: 'VoiceWebhookSet', data: { url: null } } as const, { accountId: 3 });
    for (const error of [turnedOffError, movedError])
      expect(health(off, { ...failed, data: { ...failed.data, error } })).toEqual([]);
  });
});
