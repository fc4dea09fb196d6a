import { randomUUID } from 'node:crypto';
import { Aggregates } from '@parley/event-store';
import { createOwnershipKeeper } from '@parley/processing';
import { createTestStore, eventually, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createWebhookDeliveries } from '../../views/webhooks/webhook-deliveries.ts';
import { webhookDeliveriesView } from '../../views/webhooks/webhook-deliveries-view.ts';
import { voiceWebhookCategory, voiceWebhookStream } from '../../voice-webhook/voice-webhook.ts';
import { prepareWebhookSecrets } from '../../webhook-secret/secret-store.ts';
import { WebhookSecrets } from '../../webhook-secret/webhook-secrets.ts';
import { Endpoints } from '../endpoints/endpoints.ts';
import type { QueueWebhook } from '../queueing/queue-webhook.ts';
import { WebhookQueues } from '../queueing/webhook-queues.ts';
import { createDeliverer } from './deliverer.ts';
import { startReceiver, withStatus } from './receiver.fixture.ts';

const accountId = 7;

/** An endpoint, and a process that sends to it and fires no timers. */
async function setUp() {
  const endpoint = await startReceiver();
  const store = await createTestStore([webhookDeliveriesView]);
  const { pool: sql } = store;
  await prepareWebhookSecrets(sql);
  const url = `${endpoint.url}/hook`;
  await store.append({
    streamId: voiceWebhookStream(accountId),
    category: voiceWebhookCategory,
    accountId,
    expectedVersion: 0,
    events: [{ type: 'VoiceWebhookSet', data: { url } }],
    metadata: testMetadata,
  });
  const aggregates = new Aggregates(store);
  const deliveries = createWebhookDeliveries(sql);
  const deliverer = createDeliverer({
    aggregates,
    config: { ALLOW_LOOPBACK_REQUESTS: true },
    deliveries,
    endpoints: new Endpoints(aggregates),
    logger: { warn: () => undefined },
    ownership: createOwnershipKeeper(sql),
    secrets: new WebhookSecrets(aggregates, sql),
    sql,
    store,
  });
  onTestFinished(async () => {
    await endpoint.close();
    await deliverer.close();
    await store.close();
  });
  const webhook = (): QueueWebhook => ({
    accountId,
    endpoint: { event: 'chatapp_voice', assistant_id: null, url },
    eventId: randomUUID(),
    occurredAt: '2026-11-30T10:00:00.000Z',
    fields: {},
    metadata: testMetadata,
  });
  return {
    endpoint,
    queues: new WebhookQueues(deliverer.queue, deliveries),
    webhook,
    /** Whether each delivery that is not settled is due, in the order of the queue. */
    async due(): Promise<readonly boolean[]> {
      const { rows } = await sql.query<{ is_due: boolean }>(
        `select due_at <= es.now() as is_due from es.timers order by payload -> 'sequence'`,
      );
      return rows.map(({ is_due }) => is_due);
    },
  };
}

test('what is queued is sent by who queues it, without a timer, and once', async () => {
  const { endpoint, queues, webhook, due } = await setUp();
  const told = webhook();
  await queues.queue(told);
  await eventually(() => expect(endpoint.received).toHaveLength(1));
  await eventually(async () => expect(await due()).toEqual([]));
  for (const each of [told, webhook()]) await queues.queue(each);
  await eventually(() => expect(endpoint.received).toHaveLength(2));
  await eventually(async () => expect(await due()).toEqual([]));
  expect(endpoint.received.map(({ body }) => JSON.parse(body).sequence)).toEqual([1, 2]);
});

test('what finds no place at its endpoint waits for its timer, which is due at once', async () => {
  const { endpoint, queues, webhook, due } = await setUp();
  const open: (() => void)[] = [];
  endpoint.answer = (received, response) => open.push(() => withStatus(200)(received, response));
  await Promise.all(Array.from({ length: 6 }, () => queues.queue(webhook())));
  await eventually(() => expect(open).toHaveLength(4));
  expect(await due()).toEqual([false, false, false, false, true, true]);
  for (const end of open) end();
  await eventually(async () => expect(await due()).toEqual([true, true]));
});
