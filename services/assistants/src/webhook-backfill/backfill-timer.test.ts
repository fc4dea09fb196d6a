import type { VoiceWebhookEvent, WebhookDeliveryEvent, WebhookQueuedEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type NewEvent } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import type { WebhookDeliveries } from '../views/webhooks/webhook-deliveries.ts';
import { voiceWebhookStream } from '../voice-webhook/voice-webhook.ts';
import { failed, started } from '../webhook-delivery/delivery.fixture.ts';
import { deliveryStream } from '../webhook-delivery/delivery.ts';
import { Endpoints } from '../webhook-delivery/endpoints/endpoints.ts';
import { queueStream } from '../webhook-delivery/queueing/queue-webhook.ts';
import { backfillTimer, backfillTimerOf } from './backfill-timer.ts';

const accountId = 7;
const url = 'https://hooks.example/a';
const endpoint = { event: 'chatapp_voice', assistant_id: null } as const;
const set = (to: string | null): VoiceWebhookEvent => ({ type: 'VoiceWebhookSet', data: { url: to } });

/** What a back-fill adds to the one delivery there is, which was queued between `before` and `after`. */
async function added(
  before: readonly NewEvent[],
  after: readonly NewEvent[],
  attempts: readonly WebhookDeliveryEvent[] = [],
): Promise<readonly string[]> {
  const store = createInMemoryEventStore();
  const append = (streamId: string, ...events: readonly NewEvent[]) =>
    store.append({
      ...{ streamId, category: 'c', accountId, expectedVersion: 'any', metadata: testMetadata, events },
    });
  await append(voiceWebhookStream(accountId), ...before);
  const queued: WebhookQueuedEvent['data'] = {
    delivery_id: 'msg_1',
    event_id: '0193e2a0-0000-7000-8000-000000000001',
    sequence: 1,
    endpoint: { ...endpoint, url },
    body: '{}',
    occurred_at: '2026-11-21T09:30:00.000Z',
  };
  await append(queueStream(accountId, 'chatapp_voice'), { type: 'WebhookQueued', data: queued });
  const active_position = await store.head();
  await append(voiceWebhookStream(accountId), ...after);
  await append(deliveryStream('msg_1'), ...attempts);
  const row = { ...endpoint, id: 'msg_1', account_id: accountId, sequence: 1, body: '{}', active_position };
  const deliveries = { inRange: async () => [row] } as unknown as WebhookDeliveries;
  const aggregates = new Aggregates(store);
  const handlers = backfillTimer({
    ...{ aggregates, deliveries, endpoints: new Endpoints(aggregates), store },
    // It has its timer.
    sql: { query: async () => ({ rows: [{ found: true }], rowCount: 1 }) } as never,
  });
  const job = {
    ...{ backfill_id: '5f0c3f0a-6f0e-4b8e-9a55-2f6b0d1c7e42', account_id: accountId, event: endpoint.event },
    ...{ since: '2026-11-20T09:30:00.000Z', from: 1, to: 1, correlation_id: 'c', causation_id: null },
  };
  const { id, kind, payload } = backfillTimerOf(job);
  const timer = { id, kind, payload, dueAt: '2026-11-23T12:00:00.000Z' };
  await handlers['webhook-backfill'](timer, { store, metadata: testMetadata });
  const history = await store.readStream(deliveryStream('msg_1'));
  return history
    .slice(attempts.length)
    .map(({ type }) => type satisfies string as WebhookDeliveryEvent['type']);
}

test('a webhook that is on its way to where its endpoint has been all along is left alone', async () => {
  expect(await added([set(null), set(url)], [])).toEqual([]);
});

test('one that was refused is asked for while it waits for its next try, and left alone while it is tried', async () => {
  const refused = [started(1), failed(1)];
  expect(await added([set(url)], [], refused)).toEqual(['WebhookReplayRequested']);
  expect(await added([set(url)], [], [...refused, started(2)])).toEqual([]);
  const asked = { url, backfill_id: '0b8a1a8e-6d0b-4a36-8f1e-1f6c4f0e2a11' };
  const alreadyAsked = { type: 'WebhookReplayRequested', data: asked } as const;
  expect(await added([set(url)], [], [...refused, alreadyAsked])).toEqual([]);
});

test('one that waits since before its endpoint was turned off and on is asked for anew: it may be cancelled yet', async () => {
  expect(await added([set(url)], [set(null), set(url)])).toEqual(['WebhookReplayRequested']);
});
