import type { NumberEvent, PaymentMethodEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { Carrier, Payments, VoicePlatform } from '@parley/providers';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { paymentMethodCategory, paymentMethodStream } from '../../payment-method/payment-method.ts';
import { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { InboundLines } from '../../voice/inbound-lines.ts';
import { bought } from '../bought.fixture.ts';
import { numberCategory, numberStream } from '../number.ts';
import { numberPriceConfig } from '../prices.ts';
import { NumberWork } from './number-work.ts';
import { ProviderSteps } from './provider-steps.ts';

const work = { number_id: 7, account_id: 3, correlation_id: 'request-1', attempt: 0 };
const start = Date.parse('2026-11-21T05:20:00.400Z');

interface Providers {
  readonly payments: Partial<Payments>;
  readonly carrier: Partial<Carrier>;
  readonly platform?: Partial<VoicePlatform>;
}

const onFile = golden<PaymentMethodEvent>('PaymentCustomerCreated.v1', 'PaymentMethodSet.v1');

/** A purchase with these events behind it, by an account with these. */
async function purchase(
  events: readonly NumberEvent[],
  { payments: payer, carrier: seller, platform = {} }: Providers,
  account: readonly PaymentMethodEvent[] = onFile,
) {
  const store = createInMemoryEventStore({ now: () => new Date(start) });
  await store.append({
    streamId: numberStream(7),
    category: numberCategory,
    accountId: 3,
    events,
    expectedVersion: 0,
    metadata,
  });
  await store.append({
    streamId: paymentMethodStream(3),
    category: paymentMethodCategory,
    accountId: 3,
    events: account,
    expectedVersion: 0,
    metadata,
  });
  const payments = payer as Payments;
  const carrier = seller as Carrier;
  const aggregates = new Aggregates(store);
  const methods = new PaymentMethods(aggregates, payments);
  const lines = new InboundLines(platform as VoicePlatform);
  const steps = new ProviderSteps(carrier, payments, methods, lines, numberPriceConfig.parse({}));
  const warnings: unknown[] = [];
  const logger = { warn: (about: unknown) => warnings.push(about) };
  const drive = (attempt = 0) =>
    new NumberWork(aggregates, steps, logger, new AbortController().signal).drive(
      { ...work, attempt },
      metadata,
      { isTakenUp: true },
    );
  const lastType = async () => (await store.readStream(numberStream(7))).at(-1)?.type;
  return { store, drive, lastType, warnings };
}

const priced = bought.slice(0, 2);

/** A purchase that failed before anything was paid, and providers that know nothing of it. */
async function failedPurchase() {
  let isAway = false;
  const away = { kind: 'unavailable', message: 'away' } as const;
  const none = async () => (isAway ? away : ({ kind: 'ok', value: null } as const));
  const failed = await purchase([...priced, ...golden<NumberEvent>('NumberPurchaseFailed.v1')], {
    payments: { findSubscription: none },
    carrier: { findByReference: none },
  });
  return { ...failed, setAway: (value: boolean) => (isAway = value) };
}

test('the last look at an undone purchase has a minute, also when a timer has undone it', async () => {
  const { store, drive, lastType } = await failedPurchase();
  await drive();
  expect(await lastType()).toBe('NumberPurchaseUndone');
  expect(store.timers()).toMatchObject([
    { id: 'number-work-7', dueAt: new Date(start + 60_000).toISOString() },
  ]);
  await drive();
  expect(await lastType()).toBe('NumberPurchaseRechecked');
  expect(store.timers()).toEqual([]);
});

test('a last look that fails is taken again, less and less soon', async () => {
  const { store, drive, lastType, setAway } = await failedPurchase();
  await drive();
  setAway(true);
  for (const [attempt, afterMs] of [
    [0, 1_000],
    [3, 8_000],
    [20, 300_000],
  ] as const) {
    await drive(attempt);
    expect(store.timers()).toMatchObject([
      { dueAt: new Date(start + afterMs).toISOString(), payload: { attempt: attempt + 1 } },
    ]);
  }
  setAway(false);
  await drive(21);
  expect([await lastType(), store.timers()]).toEqual(['NumberPurchaseRechecked', []]);
});

const month = {
  isPaid: true,
  paymentIntentId: 'pi_1',
  paidUntil: '2026-12-21T05:20:00.000Z',
  latestSettled: null,
  latestOwed: null,
};

/** The payment provider knows a key for a day; the purchase may have waited for longer. */
const forgetful = (isEnded: boolean): Partial<Payments> => ({
  findSubscription: async () => ({
    kind: 'ok',
    value: { subscriptionId: 'sub_1', ...month, isEnded, isPaid: !isEnded },
  }),
  subscribe: async () => ({ kind: 'ok', value: { subscriptionId: 'sub_2', isEnded: false, ...month } }),
  cancelSubscription: async () => ({ kind: 'ok', value: null }),
  refund: async () => ({ kind: 'ok', value: null }),
});
const seller: Pick<Providers, 'carrier' | 'platform'> = {
  carrier: { findByReference: async () => ({ kind: 'ok', value: { sid: 'PN1', phoneNumber: '+1' } }) },
  platform: {
    receiveCalls: async () => ({ kind: 'ok', value: undefined }),
    findTrunks: async () => ({ kind: 'ok', value: ['ST1'] }),
    inboundOf: async () => ({ kind: 'ok', value: [] }),
  },
};

test('a purchase that is taken up goes on with the subscription that it has begun', async () => {
  const { store, drive, lastType } = await purchase(priced, { ...seller, payments: forgetful(false) });
  await drive();
  expect((await store.readStream(numberStream(7)))[2]).toMatchObject({
    type: 'NumberSubscribed',
    data: { subscription_id: 'sub_1', payment_intent_id: 'pi_1' },
  });
  expect(await lastType()).toBe('NumberPurchased');
});

test('a purchase that the carrier refuses is told to the operator, and why', async () => {
  const detail = 'Bundle required and not provided';
  const carrier: Partial<Carrier> = {
    findByReference: async () => ({ kind: 'ok', value: null }),
    provision: async () => ({ kind: 'rejected', code: 'not_available', message: detail }),
  };
  const { drive, lastType, warnings } = await purchase(priced, {
    ...{ carrier, payments: forgetful(false) },
    platform: { findTrunks: async () => ({ kind: 'ok', value: [] }) },
  });
  await drive();
  expect(await lastType()).toBe('NumberPurchaseUndone');
  expect(warnings).toEqual([{ number: 7, step: 'provision', reason: 'not_available', detail }]);
});

test('a purchase that is refused in many words is undone, wherever these are cut', async () => {
  const message = `${'x'.repeat(499)}📞`;
  const carrier: Partial<Carrier> = {
    findByReference: async () => ({ kind: 'ok', value: null }),
    provision: async () => ({ kind: 'rejected', code: null, message }),
  };
  const { drive, lastType } = await purchase(priced, {
    ...{ carrier, payments: forgetful(false) },
    platform: { findTrunks: async () => ({ kind: 'ok', value: [] }) },
  });
  await drive();
  expect(await lastType()).toBe('NumberPurchaseUndone');
});

/** A payment provider that was not told yet which card is on file; what it charges. */
function untold(telling: Awaited<ReturnType<Payments['useMethod']>>) {
  const charged: string[] = [];
  let method = 'pm_before';
  const payments: Partial<Payments> = {
    ...forgetful(false),
    findSubscription: async () => ({ kind: 'ok', value: null }),
    async useMethod(_, methodId) {
      if (telling.kind === 'ok') method = methodId;
      return telling;
    },
    async subscribe() {
      charged.push(method);
      return { kind: 'ok', value: { ...month, subscriptionId: 'sub_2', isEnded: false } };
    },
  };
  return { charged, payments };
}

test('a purchase charges the card on file, also where the provider was not told of it yet', async () => {
  const { charged, payments } = untold({ kind: 'ok', value: null });
  const { drive, lastType } = await purchase(priced, { ...seller, payments });
  await drive();
  expect([await lastType(), charged]).toEqual(['NumberPurchased', ['pm_1Qz8Yc']]);
});

test.each([
  ['that the provider cannot be told of', onFile],
  [
    'that was taken off file meanwhile',
    [...onFile, ...golden<PaymentMethodEvent>('PaymentMethodRemoved.v1')],
  ],
])('a purchase by a card %s charges none', async (_, account) => {
  const { charged, payments } = untold({ kind: 'unavailable', message: 'away' });
  const carrier: Partial<Carrier> = { findByReference: async () => ({ kind: 'ok', value: null }) };
  const { drive, lastType } = await purchase(priced, { carrier, payments }, account);
  await drive();
  expect([await lastType(), charged]).toEqual(['NumberPurchaseUndone', []]);
});

test('a purchase whose subscription has ended before it was taken up is undone', async () => {
  const carrier: Partial<Carrier> = { findByReference: async () => ({ kind: 'ok', value: null }) };
  const { store, drive } = await purchase(priced, { carrier, payments: forgetful(true) });
  await drive();
  const events = await store.readStream(numberStream(7));
  expect(events.map(({ type }) => type).slice(2)).toEqual([
    'NumberPurchaseFailed',
    'NumberSubscriptionCancelled',
    'NumberReturned',
    'NumberPurchaseUndone',
  ]);
  expect(events[3]).toMatchObject({ data: { refunded_payment_intent_id: 'pi_1' } });
});

const released = [...bought, ...golden<NumberEvent>('NumberReleaseRequested.v1')];

test.each([
  ['next month, paid a second before the release, stays paid', 'pi_2', -1, []],
  ['next month, paid in the second of the release, is given back', 'pi_2', 0, ['pi_2']],
  ['next month, paid a day after the release, is given back', 'pi_2', 86_400, ['pi_2']],
  ['first month, paid in the second of the release, stays paid', 'pi_3Qz8Yb', 0, []],
])('the %s', async (_, paymentIntentId, afterS, refunded) => {
  const asked: string[] = [];
  // The provider tells times in whole seconds.
  const paidAt = new Date(Math.floor(start / 1_000 + afterS) * 1_000).toISOString();
  const payments: Partial<Payments> = {
    cancelSubscription: async () => ({ kind: 'ok', value: null }),
    findSubscription: async () => ({
      kind: 'ok',
      value: {
        ...{ ...month, subscriptionId: 'sub_1', isEnded: true, isPaid: false, paymentIntentId },
        latestSettled: {
          ...{ invoiceId: 'in_2', amountCents: 225, currency: 'gbp', paidUntil: '2027-01-21T05:20:00.000Z' },
          paidAt,
        },
      },
    }),
    async refund(refundedId) {
      asked.push(refundedId);
      return { kind: 'ok', value: null };
    },
  };
  const carrier: Partial<Carrier> = { release: async () => ({ kind: 'ok', value: null }) };
  const platform: Partial<VoicePlatform> = { findTrunks: async () => ({ kind: 'ok', value: [] }) };
  const { store, drive, lastType } = await purchase(released, { payments, carrier, platform });
  await drive();
  expect([await lastType(), asked]).toEqual(['NumberReleased', refunded]);
  const [cancelled] = (await store.readStream(numberStream(7))).slice(-3);
  expect(cancelled).toMatchObject({
    type: 'NumberSubscriptionCancelled',
    data: { refunded_payment_intent_id: refunded[0] ?? null },
  });
});

const noCustomer = { kind: 'rejected', code: 'unknown_customer', message: 'No such customer' } as const;

test('a released number goes also where the payment provider knows its customer no more', async () => {
  const payments: Partial<Payments> = {
    cancelSubscription: async () => ({ kind: 'ok', value: null }),
    findSubscription: async () => noCustomer,
  };
  const carrier: Partial<Carrier> = { release: async () => ({ kind: 'ok', value: null }) };
  const platform: Partial<VoicePlatform> = { findTrunks: async () => ({ kind: 'ok', value: [] }) };
  const { drive, lastType } = await purchase(released, { payments, carrier, platform });
  await drive();
  expect(await lastType()).toBe('NumberReleased');
});

test('a purchase by a customer whom the payment provider knows no more is undone, and its number free again', async () => {
  const payments: Partial<Payments> = {
    findSubscription: async () => noCustomer,
    useMethod: async () => noCustomer,
    subscribe: async () => noCustomer,
  };
  const { store, drive } = await purchase(priced, { payments, carrier: {} });
  await drive();
  await drive();
  const events = await store.readStream(numberStream(7));
  expect(events.map(({ type }) => type).slice(2)).toEqual([
    'NumberPurchaseFailed',
    'NumberSubscriptionCancelled',
    'NumberReturned',
    'NumberPurchaseUndone',
    'NumberPurchaseRechecked',
  ]);
  expect(events[2]).toMatchObject({ data: { reason: 'payment_failed' } });
  expect(store.timers()).toEqual([]);
});

test('a released number waits where the payment provider does not let us see what was charged since', async () => {
  const payments: Partial<Payments> = {
    cancelSubscription: async () => ({ kind: 'ok', value: null }),
    findSubscription: async () => ({ kind: 'rejected', code: null, message: 'This key may not read it.' }),
  };
  const { drive, lastType } = await purchase(released, { payments, carrier: {} });
  const before = await lastType();
  await drive();
  expect(await lastType()).toBe(before);
});

test('a number that the carrier hands over after its answer was no more waited for is bought', async () => {
  let looks = 0;
  const carrier: Partial<Carrier> = {
    provision: async () => ({ kind: 'unknown', message: 'no answer' }),
    async findByReference() {
      looks += 1;
      return { kind: 'ok', value: looks > 3 ? { sid: 'PN1', phoneNumber: '+1' } : null };
    },
    release: async () => ({ kind: 'ok', value: null }),
  };
  const paid = [...priced, ...golden<NumberEvent>('NumberSubscribed.v1')];
  const { drive, lastType } = await purchase(paid, { ...seller, carrier, payments: forgetful(false) });
  await drive();
  expect(await lastType()).toBe('NumberPurchased');
});
