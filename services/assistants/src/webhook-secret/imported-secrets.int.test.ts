import { randomUUID } from 'node:crypto';
import {
  getWebhookSecret,
  importEvents,
  rotateWebhookSecret,
  type WebhookSecretEvent,
} from '@parley/contracts';
import { type ServiceCopies, startServiceCopies, travelling } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { type ReceivedWebhook, startReceiver } from '../webhook-delivery/sending/receiver.fixture.ts';
import { createCustomer } from '../webhook-delivery/webhooks.fixture.ts';
import { webhookSecretStream } from './webhook-secret.ts';

const created = (key_id: string = randomUUID()): WebhookSecretEvent => ({
  type: 'WebhookSecretCreated',
  data: { key_id },
});

type Customer = ReturnType<typeof createCustomer>;

let copies: ServiceCopies;
let customers: Readonly<Record<'signing' | 'rotating' | 'rotated', Customer>>;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
  const [signing, rotating, rotated] = [
    createCustomer(copies),
    createCustomer(copies),
    createCustomer(copies),
  ] as const;
  customers = { signing, rotating, rotated };
  const earlier = randomUUID();
  const rotation = { key_id: randomUUID(), previous_key_id: earlier, previous_valid_until: never };
  const events = [
    ...keysOf(signing, created()),
    ...keysOf(rotating, created()),
    ...keysOf(rotated, created(earlier), { type: 'WebhookSecretRotated', data: rotation }),
  ];
  await copies.ask(importEvents, { events, names: { account_id: 0, held: [] }, next_ids: {} });
});
afterAll(() => copies?.close());

const never = '2999-01-01T00:00:00.000Z';

/** Of an account that comes from another installation, where its webhooks were signed: what signed them stays there. */
const keysOf = ({ accountId }: Customer, ...secrets: readonly WebhookSecretEvent[]) =>
  travelling({ accountId, category: 'webhook-secret', streamId: webhookSecretStream(accountId) }, secrets);

test('an account that was imported gets a secret of its own, and webhooks that it signs', async () => {
  const endpoint = await startReceiver();
  onTestFinished(() => endpoint.close());
  const customer = customers.signing;
  await customer.setUrl(endpoint.url);
  await customer.settled(await customer.queue(), 'delivered');
  const secrets = await Promise.all(Array.from({ length: 8 }, () => customer.secret()));
  expect(new Set(secrets).size).toBe(1);
  const [{ headers, body }] = endpoint.received as [ReceivedWebhook];
  expect(() => new Webhook(secrets[0] ?? '').verify(body, headers as Record<string, string>)).not.toThrow();
});

test('its secret is rotated like any other', async () => {
  const customer = customers.rotating;
  const { data } = await customer.call(rotateWebhookSecret, {});
  expect((await customer.call(getWebhookSecret, {})).data).toEqual(data);
});

test('a secret that was being rotated out where it came from is not known any more', async () => {
  const endpoint = await startReceiver();
  onTestFinished(() => endpoint.close());
  const customer = customers.rotated;
  expect((await customer.call(getWebhookSecret, {})).data).toEqual({
    secret: expect.stringMatching(/^whsec_/),
    previous_secret: null,
    previous_valid_until: null,
  });
  await customer.setUrl(endpoint.url);
  await customer.settled(await customer.queue(), 'delivered');
  const [{ headers }] = endpoint.received as [ReceivedWebhook];
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(1);
});
