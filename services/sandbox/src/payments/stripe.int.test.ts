import { eventually } from '@parley/testing';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let sandbox: TestSandbox;
let client: Stripe;

const connect = (key = sandboxDefaults.STRIPE_API_KEY.reveal()) => {
  const { hostname, port } = new URL(sandbox.url);
  return new Stripe(key, { host: hostname, port: Number(port), protocol: 'http', maxNetworkRetries: 0 });
};

beforeAll(async () => {
  sandbox = await startTestSandbox();
  client = connect();
});
afterAll(() => sandbox.close());

async function customerWith(card: string): Promise<{ customer: string; price: string }> {
  const { id: customer } = await client.customers.create({
    email: 'ada@example.com',
    metadata: { account: '7' },
  });
  const method = await client.paymentMethods.attach(card, { customer });
  await client.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
  const price = await client.prices.create({
    currency: 'usd',
    unit_amount: 250,
    recurring: { interval: 'month' },
    product_data: { name: 'Phone number' },
  });
  return { customer, price: price.id };
}

/** The events that reached the gateway, verified with the official SDK. */
const events = () =>
  sandbox.received.map(({ headers, body }) =>
    client.webhooks.constructEvent(
      body,
      String(headers['stripe-signature']),
      sandboxDefaults.STRIPE_WEBHOOK_SECRET.reveal(),
    ),
  );

const eventTypesAbout = (id: string) =>
  events()
    .filter(({ data }) => JSON.stringify(data.object).includes(id))
    .map(({ type }) => type);

describe('the official SDK', () => {
  test('keeps customers and their cards', async () => {
    const { customer } = await customerWith('pm_card_visa');
    const found = await client.customers.retrieve(customer);
    expect(found).toMatchObject({ email: 'ada@example.com', metadata: { account: '7' } });
    const { data } = await client.customers.listPaymentMethods(customer);
    expect(data).toMatchObject([{ type: 'card', card: { brand: 'visa', last4: '4242' }, customer }]);
    await client.paymentMethods.detach(data[0]?.id ?? '');
    expect((await client.customers.listPaymentMethods(customer)).data).toEqual([]);
    expect(await client.customers.del(customer)).toMatchObject({ deleted: true });
    await expect(client.customers.retrieve(customer)).rejects.toMatchObject({ code: 'resource_missing' });
    await expect(client.paymentMethods.attach('pm_unknown', { customer })).rejects.toMatchObject({
      code: 'resource_missing',
    });
  });

  test('subscribes, reads and cancels, and its webhooks verify', async () => {
    const { customer, price } = await customerWith('pm_card_visa');
    const subscription = await client.subscriptions.create({
      customer,
      items: [{ price }],
      metadata: { purchase: 'p-1' },
      expand: ['latest_invoice'],
    });
    expect(subscription).toMatchObject({
      status: 'active',
      metadata: { purchase: 'p-1' },
      latest_invoice: { status: 'paid', amount_paid: 250 },
    });
    const read = await client.subscriptions.retrieve(subscription.id);
    expect(read.items.data[0]?.current_period_end).toBeGreaterThan(read.created);
    expect((await client.subscriptions.list({ customer })).data).toHaveLength(1);
    const canceled = await client.subscriptions.cancel(subscription.id);
    expect(canceled.status).toBe('canceled');
    expect((await client.subscriptions.list({ customer })).data).toEqual([]);
    await expect(client.subscriptions.cancel(subscription.id)).rejects.toMatchObject({
      code: 'resource_missing',
    });
    await eventually(() =>
      expect(eventTypesAbout(subscription.id).toSorted()).toEqual([
        'customer.subscription.created',
        'customer.subscription.deleted',
        'invoice.paid',
      ]),
    );
    expect(sandbox.received[0]?.path).toBe('/hooks/payments/stripe');
  });

  test('subscribes with an inline price of an existing product', async () => {
    const { customer } = await customerWith('pm_card_mastercard');
    const product = await client.products.create({ name: 'Phone number' });
    const data = { currency: 'eur', unit_amount: 199, recurring: { interval: 'month' as const } };
    const subscription = await client.subscriptions.create({
      customer,
      items: [{ price_data: { ...data, product: product.id } }],
    });
    expect(subscription.currency).toBe('eur');
  });

  test('is told that a card declines only when it is charged', async () => {
    const { customer, price } = await customerWith('pm_card_chargeDeclined');
    await expect(
      client.subscriptions.create({ customer, items: [{ price }], payment_behavior: 'error_if_incomplete' }),
    ).rejects.toMatchObject({ statusCode: 402, code: 'card_declined', type: 'StripeCardError' });
    expect((await client.subscriptions.list({ customer })).data).toEqual([]);
    const incomplete = await client.subscriptions.create({ customer, items: [{ price }] });
    expect(incomplete.status).toBe('incomplete');
  });

  test('is told of a card that nobody knows, however long its id is', async () => {
    const { id: customer } = await client.customers.create({ email: 'ada@example.com' });
    const unknown = `pm_${'a'.repeat(252)}`;
    const attached = client.paymentMethods.attach(unknown, { customer });
    await expect(attached).rejects.toMatchObject({ code: 'resource_missing' });
  });

  test('cannot subscribe a customer without a card', async () => {
    const { price } = await customerWith('pm_card_visa');
    const { id: customer } = await client.customers.create({});
    await expect(client.subscriptions.create({ customer, items: [{ price }] })).rejects.toMatchObject({
      statusCode: 400,
    });
  });

  test('gives money back once', async () => {
    const { customer, price } = await customerWith('pm_card_visa');
    const subscription = await client.subscriptions.create({ customer, items: [{ price }] });
    const invoice = await client.invoices.retrieve(String(subscription.latest_invoice));
    const intent = String(invoice.payments?.data[0]?.payment.payment_intent);
    expect(await client.refunds.create({ payment_intent: intent })).toMatchObject({ amount: 250 });
    await expect(client.refunds.create({ payment_intent: intent })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    });
  });

  test('is refused with a wrong key', async () => {
    await expect(connect('sk_test_wrong').customers.create({})).rejects.toMatchObject({ statusCode: 401 });
  });
});

describe('an idempotency key', () => {
  test('makes a repeated request effective once, also when many arrive at once', async () => {
    const { customer, price } = await customerWith('pm_card_visa');
    const order = { customer, items: [{ price }] };
    const key = { idempotencyKey: `order-${customer}` };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => client.subscriptions.create(order, key)),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ statusCode: 409 });
    const again = await client.subscriptions.create(order, key);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect((await client.subscriptions.list({ customer })).data).toMatchObject([{ id: again.id }]);
    await expect(
      client.subscriptions.create({ ...order, metadata: { other: '1' } }, key),
    ).rejects.toMatchObject({ statusCode: 400, type: 'StripeIdempotencyError' });
  });

  test('replays the outcome of a request whose answer was lost', async () => {
    const key = { idempotencyKey: 'lost-answer' };
    await sandbox.control('faults', {
      provider: 'payments',
      operation: 'create_customer',
      mode: 'error',
      times: 1,
      takes_effect: true,
    });
    await expect(client.customers.create({ name: 'Ada' }, key)).rejects.toMatchObject({
      type: 'StripeAPIError',
    });
    const created = await client.customers.create({ name: 'Ada' }, key);
    expect(created.lastResponse.headers['idempotent-replayed']).toBe('true');
    const { body } = await sandbox.read('/control/requests?provider=payments');
    const log: readonly { idempotency_key: string }[] = JSON.parse(JSON.stringify(body)).data;
    expect(log.filter(({ idempotency_key }) => idempotency_key === 'lost-answer')).toHaveLength(2);
  });
});
