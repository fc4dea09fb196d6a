import { createHmac } from 'node:crypto';
import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { telephonyConfig } from '../config.ts';
import { numberCategory, numberStream } from '../number/number.ts';
import { PaymentCallbackController } from './payment-callback.controller.ts';

const [requested] = golden<Extract<NumberEvent, { type: 'NumberPurchaseRequested' }>>(
  'NumberPurchaseRequested.v1',
);
if (!requested) throw new Error('There is no purchase.');
const { number_id, purchase_id } = requested.data;
const ours = { number_id: String(number_id), account_id: '3', purchase_id };

const message: MessageContext = {
  accountId: null,
  actor: { kind: 'provider', id: 'stripe' },
  commandId: '0193e2a0-0000-7000-8000-000000000001',
  fingerprint: null,
  correlationId: 'callback-1',
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 1_000,
};

/** What becomes of a first payment whose subscription carries this, where account 3 is buying number 7. */
async function told(metadata: Readonly<Record<string, string>>) {
  const store = createInMemoryEventStore();
  const streamId = numberStream(number_id);
  const about = { streamId, category: numberCategory, accountId: 3, expectedVersion: 0 };
  await store.append({ ...about, events: [requested as NumberEvent], metadata: testMetadata });
  const config = telephonyConfig.parse({
    SANDBOX: 'true',
    DATABASE_URL: 'postgres://-',
    NATS_URL: 'nats://-',
  });
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'invoice.paid',
    data: {
      object: {
        id: 'in_1',
        billing_reason: 'subscription_create',
        amount_due: 225,
        currency: 'gbp',
        attempt_count: 1,
        created: 1_800_000_000,
        parent: { subscription_details: { subscription: 'sub_1', metadata } },
        lines: { data: [{ period: { end: 1_802_592_000 } }] },
      },
    },
  });
  const at = Math.floor(Date.now() / 1000);
  const seal = createHmac('sha256', config.STRIPE_WEBHOOK_SECRET.reveal()).update(`${at}.${body}`);
  const reply = await new PaymentCallbackController(new Aggregates(store), config).receive(
    {
      provider: 'stripe',
      headers: { 'stripe-signature': `t=${at},v1=${seal.digest('hex')}` },
      body_base64: Buffer.from(body).toString('base64'),
    },
    new BusContext(message, 'cmd.telephony.receive-payment-callback'),
  );
  return { reply, last: (await store.readStream(streamId)).at(-1) };
}

test('a payment of a purchase is put on record with it', async () => {
  const { reply, last } = await told(ours);
  expect(reply).toMatchObject({ body: '{"received":1}' });
  expect(last).toMatchObject({ type: 'NumberPaymentConfirmed', data: { invoice_id: 'in_1' } });
});

test('it belongs to the trace of the request that it paid for, where the subscription names that', async () => {
  const { last } = await told({ ...ours, request_id: 'request-1' });
  expect(last?.metadata.correlationId).toBe('request-1');
  expect((await told(ours)).last?.metadata.correlationId).toBe('callback-1');
});

test.each([
  ['of the same account', {}],
  ['of another account', { account_id: '4' }],
  ['that we do not have', { number_id: '8' }],
])('a payment of another installation’s purchase, of a number %s, is none of ours', async (_, other) => {
  const { reply, last } = await told({ ...ours, purchase_id: 'another', ...other });
  expect(reply).toMatchObject({ body: '{"received":0}' });
  expect(last).toMatchObject({ type: 'NumberPurchaseRequested' });
});
