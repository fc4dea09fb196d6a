import { startLocalServer } from '@parley/testing';
import { expect, test } from 'vitest';
import type { Payments } from '../payments.ts';
import { createStripePayments } from './stripe.ts';

/** Payments where Stripe answers by path; what it was asked. */
async function payments(answers: Readonly<Record<string, readonly [number, object]>>) {
  const asked: string[] = [];
  const baseUrl = await startLocalServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const [status, body] = answers[path] ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { asked, payments: createStripePayments({ baseUrl, apiKey: 'sk_test' }) };
}

const attach = '/v1/payment_methods/pm_1/attach';
const detach = '/v1/payment_methods/pm_1/detach';
const broken = [500, { error: { type: 'api_error', message: 'Try again.' } }] as const;
const link = { id: 'pm_1', object: 'payment_method', type: 'link', link: { email: 'ada@example.com' } };

test.each([
  ['done', [200, link]],
  ['done before', [400, { error: { type: 'invalid_request_error', message: 'It is not attached.' } }]],
] as const)(
  'what is no card is refused, and does not stay with the customer: its detaching is %s',
  async (_, detached) => {
    const { asked, payments: stripe } = await payments({ [attach]: [200, link], [detach]: detached });
    expect(await stripe.attachMethod('cus_1', 'pm_1', 'key')).toMatchObject({
      kind: 'rejected',
      code: 'no_card',
    });
    expect(asked).toEqual([attach, detach]);
  },
);

test('what is no card is asked about again when it may still be with the customer', async () => {
  const { payments: stripe } = await payments({ [attach]: [200, link], [detach]: broken });
  expect(await stripe.attachMethod('cus_1', 'pm_1', 'key')).toMatchObject({ kind: 'unknown' });
});

test('an answer that names nothing says nothing of what was attached', async () => {
  const { asked, payments: stripe } = await payments({ [attach]: [200, { object: 'payment_method' }] });
  expect(await stripe.attachMethod('cus_1', 'pm_1', 'key')).toMatchObject({ kind: 'unknown' });
  expect(asked).toEqual([attach]);
});

const order = {
  customerId: 'cus_1',
  amountCents: 100,
  currency: 'usd',
  description: 'A number',
  metadata: {},
};

test.each([
  [502, '{}'],
  [503, '{"message":"Service Unavailable"}'],
  [503, '{"error":"Service Unavailable"}'],
  [404, '{}'],
  [302, '{}'],
  [502, '"Bad Gateway"'],
  [502, '502'],
  [200, 'null'],
  [200, '"OK"'],
])(
  'an answer of whoever stands before Stripe (%i with %s) leaves it open what was done',
  async (status, body) => {
    const baseUrl = await startLocalServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const stripe = createStripePayments({ baseUrl, apiKey: 'sk_test' });
    const outcomes = await Promise.all([
      stripe.createCustomer({}, 'key'),
      stripe.attachMethod('cus_1', 'pm_1', 'key'),
      stripe.useMethod('cus_1', 'pm_1'),
      stripe.detachMethod('pm_1'),
      stripe.subscribe(order, 'key'),
      stripe.findSubscription('cus_1', 'purchase-1'),
      stripe.payInvoice('in_1', 'pm_1'),
      stripe.cancelSubscription('sub_1'),
      stripe.refund('pi_1', 'key'),
    ]);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['unknown']));
  },
);

test.each(['charge_already_refunded', 'charge_disputed', 'refund_disputed_payment'])(
  'what the customer has back already, by us or by their bank, is not given back again: %s',
  async (code) => {
    const error = { type: 'invalid_request_error', code, message: 'It cannot be refunded.' };
    const { payments: stripe } = await payments({ '/v1/refunds': [400, { error }] });
    expect(await stripe.refund('pi_1', 'key')).toEqual({ kind: 'ok', value: null });
  },
);

test('what our key may not do is not done, and no refusal of what was asked', async () => {
  const baseUrl = await startLocalServer((_, response) => {
    const message = 'The provided key does not have the required permissions for this endpoint.';
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { type: 'invalid_request_error', message } }));
  });
  const stripe = createStripePayments({ baseUrl, apiKey: 'rk_test' });
  for (const asking of [
    stripe.attachMethod('cus_1', 'pm_1', 'key'),
    stripe.findSubscription('cus_1', 'purchase-1'),
    stripe.payInvoice('in_1', 'pm_1'),
  ])
    expect(await asking).toMatchObject({ kind: 'unavailable' });
});

/** Payments where Stripe keeps for a day that the first request of each key failed, as it does; how many keys it was given. */
async function whereFailuresAreKept(answers: Readonly<Record<string, object>>) {
  const kept = new Set<unknown>();
  let hasFailed = false;
  const baseUrl = await startLocalServer((request, response) => {
    const key = request.headers['idempotency-key'];
    const isReplay = kept.has(key);
    if (!hasFailed) kept.add(key);
    hasFailed = true;
    const [status, body] = kept.has(key) ? broken : [200, answers[request.url ?? ''] ?? {}];
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(isReplay && { 'idempotent-replayed': 'true' }),
    });
    response.end(JSON.stringify(body));
  });
  return createStripePayments({ baseUrl, apiKey: 'sk_test' });
}

const pmCard = { id: 'pm_1', card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 } };

test.each([
  ['a customer', (stripe: Payments) => stripe.createCustomer({}, 'key')],
  ['a card', (stripe: Payments) => stripe.attachMethod('cus_1', 'pm_1', 'key')],
  ['a refund', (stripe: Payments) => stripe.refund('pi_1', 'key')],
])('a failure that is kept under a key for a day ends with the next try, for %s', async (_, ask) => {
  const stripe = await whereFailuresAreKept({
    '/v1/customers': { id: 'cus_1' },
    [attach]: pmCard,
    '/v1/refunds': { id: 're_1' },
  });
  expect(await ask(stripe)).toMatchObject({ kind: 'unknown' });
  expect(await ask(stripe)).toMatchObject({ kind: 'ok' });
});

test('what would be charged a second time is not asked for under another key, whatever is kept under the first', async () => {
  const stripe = await whereFailuresAreKept({ '/v1/prices': { id: 'price_1' } });
  expect(await stripe.subscribe(order, 'key')).toMatchObject({ kind: 'unknown' });
  expect(await stripe.subscribe(order, 'key')).toMatchObject({ kind: 'unknown' });
});
