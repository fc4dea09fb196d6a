import { randomUUID } from 'node:crypto';
import {
  backfillWebhooks,
  importEvents,
  redeliverWebhook,
  type VoiceWebhookEvent,
  type WebhookBackfillEvent,
  type WebhookDeliveryEvent,
  type WebhookQueuedEvent,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies, travelling } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { voiceWebhookCategory, voiceWebhookStream } from '../voice-webhook/voice-webhook.ts';
import { backfillCategory, backfillStream } from '../webhook-backfill/backfill.ts';
import { deliveryCategory, deliveryStream } from './delivery.ts';
import { queueStream } from './queueing/queue-webhook.ts';
import { type Receiver, startReceiver } from './sending/receiver.fixture.ts';
import { createCustomer } from './webhooks.fixture.ts';

type Customer = ReturnType<typeof createCustomer>;
type Events = VoiceWebhookEvent | WebhookBackfillEvent | WebhookDeliveryEvent | WebhookQueuedEvent;

const event = 'chatapp_voice';
const since = '2026-11-21T09:00:00.000Z';
const newId = () => `msg_${randomUUID().replaceAll('-', '')}`;

let copies: ServiceCopies;
let endpoint: Receiver;
let redelivering: Customer;
let backfilling: Customer;
const underWay = newId();
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
  endpoint = await startReceiver();
  [redelivering, backfilling] = [createCustomer(copies), createCustomer(copies)];
  const begun = { backfill_id: randomUUID(), event, since, from_sequence: 1, to_sequence: 2 } as const;
  const events = [
    ...webhooksOf(redelivering, underWay),
    ...streamOf(redelivering, deliveryCategory, deliveryStream(underWay), {
      type: 'WebhookAttemptStarted',
      data: { attempt: 1, url: endpoint.url },
    }),
    ...webhooksOf(backfilling, newId(), newId()),
    ...streamOf(backfilling, backfillCategory, backfillStream(backfilling.accountId, event, since), {
      type: 'WebhookBackfillRequested',
      data: begun,
    }),
  ];
  await copies.ask(importEvents, { events, names: { account_id: 0, held: [] }, next_ids: {} });
  await eventually(async () => expect(await redelivering.deliveries()).toHaveLength(1));
  await eventually(async () => expect(await backfilling.deliveries()).toHaveLength(2));
});
afterAll(async () => {
  await copies?.close();
  await endpoint?.close();
});

const streamOf = ({ accountId }: Customer, category: string, streamId: string, ...events: Events[]) =>
  travelling({ accountId, category, streamId }, events);

/** Queued in another installation, for an endpoint that is still there. */
function webhooksOf(customer: Customer, ...ids: readonly string[]) {
  const { accountId } = customer;
  const { url } = endpoint;
  const queued = ids.map((delivery_id, index): WebhookQueuedEvent => {
    const event_id = randomUUID();
    const body = JSON.stringify({ event, event_id, sequence: index + 1, customer_phone: '+4930901820' });
    return {
      type: 'WebhookQueued',
      data: {
        ...{ delivery_id, event_id, sequence: index + 1, body, occurred_at: since },
        endpoint: { event, assistant_id: null, url },
      },
    };
  });
  return [
    ...streamOf(customer, voiceWebhookCategory, voiceWebhookStream(accountId), {
      type: 'VoiceWebhookSet',
      data: { url },
    }),
    ...streamOf(customer, 'webhook-queue', queueStream(accountId, event), ...queued),
  ];
}

test('a webhook whose attempt went on in another installation is sent when it is asked for', async () => {
  await redelivering.call(redeliverWebhook, { id: underWay });
  const { attempts } = await redelivering.settled(underWay, 'delivered', 2);
  expect(attempts[0]?.error).toMatch(/interrupted/);
});

test('webhooks that waited in another installation are sent by a back-fill, also by one that went on there', async () => {
  const { data } = await backfilling.call(backfillWebhooks, { event, since });
  expect(data).toMatchObject({ webhooks: 2 });
  for (const { id } of await backfilling.deliveries()) await backfilling.settled(id, 'delivered', 1);
});
