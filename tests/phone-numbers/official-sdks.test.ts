import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@parley/process-kit';
import { createStripePayments, stripeConfig } from '@parley/providers/stripe';
import { createTwilioCarrier, twilioConfig } from '@parley/providers/twilio';
import { expect, test } from 'vitest';
import { sharedStack } from '../support/shared-stack.ts';

/** All that differs from production. */
const { sandboxUrl } = sharedStack();
const twilio = loadConfig(twilioConfig, { TWILIO_BASE_URL: sandboxUrl });
const stripe = loadConfig(stripeConfig, { STRIPE_BASE_URL: sandboxUrl });

const carrierWith = (authToken: string) =>
  createTwilioCarrier({
    baseUrl: twilio.TWILIO_BASE_URL ?? '',
    accountSid: twilio.TWILIO_ACCOUNT_SID,
    authToken,
  });
const paymentsWith = (apiKey: string) =>
  createStripePayments({ baseUrl: stripe.STRIPE_BASE_URL ?? '', apiKey });

const okOf = <T>(result: { kind: string; value?: T }): T => {
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
  return result.value as T;
};

test('numbers are searched, bought, found and given back at whatever URL is configured', async () => {
  const carrier = carrierWith(twilio.TWILIO_AUTH_TOKEN.reveal());
  const wanted = { accountId: 1, country: 'DE', type: 'mobile', contains: '', limit: 5 } as const;
  const [offer] = okOf(await carrier.search(wanted));
  if (!offer) throw new Error('Nothing was offered.');
  const reference = `parley-${randomUUID()}`;
  expect(okOf(await carrier.findByReference(reference))).toBeNull();
  const bought = okOf(await carrier.provision(offer, reference));
  expect(okOf(await carrier.findByReference(reference))).toEqual(bought);
  expect(await carrier.provision(offer, 'another')).toMatchObject({
    kind: 'rejected',
    code: 'not_available',
  });
  expect(okOf(await carrier.release(bought.sid))).toBeNull();
  expect(okOf(await carrier.release(bought.sid))).toBeNull();
  expect(await carrier.search({ ...wanted, country: 'XX' })).toEqual({ kind: 'ok', value: [] });
});

test('customers are charged, found, cancelled and paid back at whatever URL is configured', async () => {
  const payments = paymentsWith(stripe.STRIPE_API_KEY.reveal());
  const key = randomUUID();
  const { customerId } = okOf(await payments.createCustomer({ account_id: '7' }, key));
  expect(okOf(await payments.createCustomer({ account_id: '7' }, key)).customerId).toBe(customerId);
  expect(await payments.attachMethod('cus_nobody', 'pm_card_visa', randomUUID())).toMatchObject({
    kind: 'rejected',
    code: 'unknown_customer',
  });
  const order = {
    customerId,
    amountCents: 250,
    currency: 'usd',
    description: 'A number',
    metadata: { purchase_id: key },
  };
  expect(await payments.subscribe(order, `${key}-a`)).toMatchObject({ kind: 'declined' });
  const card = okOf(await payments.attachMethod(customerId, 'pm_card_visa', key));
  expect(card).toMatchObject({ brand: 'visa', last4: '4242' });
  expect(await payments.subscribe(order, `${key}-c`)).toMatchObject({ kind: 'declined' });
  expect(okOf(await payments.useMethod(customerId, card.methodId))).toBeNull();
  const subscription = okOf(await payments.subscribe(order, `${key}-b`));
  expect(okOf(await payments.subscribe(order, `${key}-b`))).toEqual(subscription);
  expect(okOf(await payments.findSubscription(customerId, key))).toEqual(subscription);
  for (let times = 0; times < 2; times += 1) {
    expect(okOf(await payments.cancelSubscription(subscription.subscriptionId))).toBeNull();
    expect(okOf(await payments.refund(subscription.paymentIntentId ?? '', `${key}-${times}`))).toBeNull();
    expect(okOf(await payments.detachMethod(card.methodId))).toBeNull();
  }
  expect(okOf(await payments.findSubscription(customerId, key))).toMatchObject({ isEnded: true });
});

test('wrong credentials, which are ours to mend, and nobody there are outages in which nothing happened', async () => {
  expect(await carrierWith('wrong').findByReference('x')).toMatchObject({ kind: 'unavailable' });
  expect(await paymentsWith('sk_test_wrong').createCustomer({}, randomUUID())).toMatchObject({
    kind: 'unavailable',
  });
  const nobody = { baseUrl: 'http://127.0.0.1:1', accountSid: twilio.TWILIO_ACCOUNT_SID, authToken: 'x' };
  expect(await createTwilioCarrier(nobody).findByReference('x')).toMatchObject({ kind: 'unavailable' });
  const payments = createStripePayments({ baseUrl: nobody.baseUrl, apiKey: 'sk_test_x' });
  expect(await payments.createCustomer({}, randomUUID())).toMatchObject({ kind: 'unavailable' });
});

test('the SDKs are the published ones', () => {
  const workspace = readFileSync(join(import.meta.dirname, '..', '..', 'pnpm-workspace.yaml'), 'utf8');
  expect(workspace).toMatch(/^ {2}stripe: \^/m);
  expect(workspace).toMatch(/^ {2}twilio: \^/m);
  expect(workspace).not.toMatch(/patchedDependencies|overrides/);
});
