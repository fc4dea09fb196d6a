import { eventually } from '@parley/testing';
import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { startTestServices, type TestServices } from '../services.fixture.ts';

let services: TestServices;
let sandbox: TestSandbox;
let client: Stripe;
const day = 86_400;

beforeAll(async () => {
  services = await startTestServices();
  sandbox = await startTestSandbox({ natsUrl: services.natsUrl });
  const { hostname, port } = new URL(sandbox.url);
  client = new Stripe(sandboxDefaults.STRIPE_API_KEY.reveal(), {
    host: hostname,
    port: Number(port),
    protocol: 'http',
  });
});
afterAll(async () => {
  await sandbox.close();
  await services.close();
});

async function subscribe(customer: string): Promise<string> {
  const price = await client.prices.create({
    currency: 'usd',
    unit_amount: 250,
    recurring: { interval: 'month' },
    product_data: { name: 'Phone number' },
  });
  const { id } = await client.subscriptions.create({ customer, items: [{ price: price.id }] });
  return id;
}
const advance = (days: number) => sandbox.control('clock/advance', { seconds: days * day });
const eventTypes = (subscription: string): string[] =>
  sandbox.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => JSON.stringify(data).includes(subscription))
    .map(({ type }) => type);

test('a subscription renews as the platform’s time passes; a declined renewal is tried again and then ends it', async () => {
  const { id: customer } = await client.customers.create({});
  const visa = await client.paymentMethods.attach('pm_card_visa', { customer });
  await client.customers.update(customer, { invoice_settings: { default_payment_method: visa.id } });
  const id = await subscribe(customer);

  await advance(65);
  const invoices = await client.invoices.list({ subscription: id });
  expect(invoices.data.map(({ status, billing_reason }) => `${status} ${billing_reason}`)).toEqual([
    'paid subscription_cycle',
    'paid subscription_cycle',
    'paid subscription_create',
  ]);
  const whole = await client.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
  const paidAt = whole.items.data[0]?.current_period_start;
  expect(whole.latest_invoice).toMatchObject({ status_transitions: { paid_at: paidAt } });

  const declined = await client.paymentMethods.attach('pm_card_chargeDeclined', { customer });
  await client.subscriptions.update(id, { default_payment_method: declined.id });
  await advance(31);
  expect((await client.subscriptions.retrieve(id)).status).toBe('past_due');
  await advance(10);
  expect((await client.subscriptions.retrieve(id)).status).toBe('canceled');
  await eventually(() => {
    const types = eventTypes(id);
    expect(types.filter((type) => type === 'invoice.paid')).toHaveLength(3);
    expect(types.filter((type) => type === 'invoice.payment_failed')).toHaveLength(4);
    expect(types.filter((type) => type === 'customer.subscription.deleted')).toHaveLength(1);
  });
});

test('a renewal that is owed is paid by the card that is named, unless that declines as well', async () => {
  const { id: customer } = await client.customers.create({});
  const attach = (token: string) => client.paymentMethods.attach(token, { customer });
  const declined = await attach('pm_card_chargeDeclined');
  const visa = await attach('pm_card_visa');
  await client.customers.update(customer, { invoice_settings: { default_payment_method: visa.id } });
  const id = await subscribe(customer);
  await client.customers.update(customer, { invoice_settings: { default_payment_method: declined.id } });
  await advance(31);
  const [owed] = (await client.invoices.list({ subscription: id })).data;
  const pay = (payment_method: string) => client.invoices.pay(owed?.id ?? '', { payment_method });

  await expect(pay(declined.id)).rejects.toMatchObject({ code: 'card_declined' });
  expect((await client.subscriptions.retrieve(id)).status).toBe('past_due');
  expect((await pay(visa.id)).status).toBe('paid');
  expect((await client.subscriptions.retrieve(id)).status).toBe('active');
  await expect(pay(visa.id)).rejects.toMatchObject({ statusCode: 400 });
});
