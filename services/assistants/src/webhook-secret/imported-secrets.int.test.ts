import { randomUUID } from 'node:crypto';
import {
  getWebhookSecret,
  importEvents,
  operatorSubject,
  rotateWebhookSecret,
  type WebhookSecretEvent,
} from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { type ReceivedWebhook, startReceiver } from '../webhook-delivery/receiver.fixture.ts';
import { createCustomer } from '../webhook-delivery/webhooks.fixture.ts';

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
  await importAll(
    travelling(signing, created()),
    travelling(rotating, created()),
    travelling(rotated, created(earlier), { type: 'WebhookSecretRotated', data: rotation }),
  );
});
afterAll(() => copies?.close());

const never = '2999-01-01T00:00:00.000Z';

/** Of an account that comes from another installation, where its webhooks were signed: what signed them stays there. */
const travelling = ({ accountId }: Customer, ...secrets: readonly WebhookSecretEvent[]) =>
  secrets.map(({ type, data }, index) => ({
    event_id: randomUUID(),
    stream_id: `webhook-secret-${accountId}`,
    stream_version: index + 1,
    category: 'webhook-secret',
    type,
    schema_version: 1,
    account_id: accountId,
    recorded_at: '2026-11-21T09:30:00.000000Z',
    data,
    metadata: {
      correlation_id: 'request-1',
      causation_id: 'request-1',
      command_id: null,
      actor: { kind: 'system', id: 'test' },
    },
  }));

async function importAll(...accounts: readonly (readonly object[])[]): Promise<void> {
  const bus = await connectBusClient({ servers: copies.natsUrl, name: 'test' });
  const reply = await bus.request({
    service: 'assistants',
    subject: operatorSubject('assistants', importEvents),
    payload: JSON.stringify({ events: accounts.flat(), names: { account_id: 0, held: [] }, next_ids: {} }),
    context: {
      ...{ accountId: null, actor: { kind: 'operator', id: 'test' }, commandId: randomUUID() },
      ...{ fingerprint: null, correlationId: 'import-1', expectedVersion: null, baseUrl: null },
      timeoutMs: 20_000,
    },
  });
  expect(reply).toMatchObject({ kind: 'ok' });
  await bus.close();
}

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
