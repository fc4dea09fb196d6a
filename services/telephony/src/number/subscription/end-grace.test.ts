import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type NewEvent } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import type { MonthlySubscription, Payments } from '@parley/providers';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { paymentMethodCategory, paymentMethodStream } from '../../payment-method/payment-method.ts';
import { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { numberCategory, numberStream } from '../number.ts';
import { endGrace } from './end-grace.ts';
import { graceTimer } from './grace-timer.ts';

const owed = golden<NumberEvent>(
  'NumberPurchaseRequested.v1',
  'NumberPriced.v1',
  'NumberSubscribed.v1',
  'NumberProvisioned.v1',
  'NumberPurchased.v1',
  'NumberRenewalFailed.v1',
);
const dueAt = '2026-12-28T05:20:00.000Z';
const { due: _, ...timer } = graceTimer({ number_id: 7, account_id: 3, correlation_id: 'renewal' }, dueAt);

interface World {
  /** What the payment provider says of the subscription, from one question to the next. */
  readonly found: readonly Awaited<ReturnType<Payments['findSubscription']>>[];
  readonly paying?: Awaited<ReturnType<Payments['payInvoice']>>;
  readonly hasCard?: boolean;
  readonly more?: readonly NumberEvent[];
}

/** What the end of the grace period comes to, and what is paid by which card. */
async function end({ found, paying = declined, hasCard = false, more = [] }: World) {
  const store = createInMemoryEventStore();
  const append = (streamId: string, category: string, events: readonly NewEvent[]) =>
    store.append({ streamId, category, accountId: 3, events, expectedVersion: 0, metadata: testMetadata });
  await append(numberStream(7), numberCategory, [...owed, ...more]);
  if (hasCard) await append(paymentMethodStream(3), paymentMethodCategory, golden('PaymentMethodSet.v1'));
  const aggregates = new Aggregates(store);
  const answers = [...found];
  const paid: string[][] = [];
  const payments: Partial<Payments> = {
    findSubscription: async () => answers.shift() ?? notFound,
    async payInvoice(...asked) {
      paid.push(asked);
      return paying;
    },
  };
  const methods = new PaymentMethods(aggregates, payments as Payments);
  const handler = endGrace({ aggregates, methods, payments: payments as Payments });
  return { paid, outcome: await handler({ ...timer, dueAt }, { store, metadata: testMetadata }) };
}

const subscription = (
  isPaid: boolean,
  isEnded = false,
  latestSettled: MonthlySubscription['latestSettled'] = null,
) =>
  ({
    kind: 'ok',
    value: {
      subscriptionId: 'sub_1',
      isEnded,
      isPaid,
      paymentIntentId: 'pi_1',
      paidUntil: dueAt,
      latestSettled,
      latestOwed: null,
    },
  }) as const;
/** An invoice that is paid; the one that is owed is `in_1R0aBd`. */
const invoice = (invoiceId: string, paidUntil: string) => ({
  invoiceId,
  amountCents: 225,
  currency: 'gbp',
  paidUntil,
  paidAt: null,
});
const notFound = { kind: 'ok', value: null } as const;
const declined = { kind: 'declined', message: 'The card was declined.' } as const;
const refused = { kind: 'rejected', code: 'unknown_customer', message: 'no such customer' } as const;
const away = { kind: 'unavailable', message: 'away' } as const;

const released = { events: [{ type: 'NumberReleaseRequested', data: { reason: 'unpaid' } }] };
const kept = { events: [], timers: [{ id: timer.id, due: { afterMs: 3_600_000 }, payload: timer.payload }] };

test('a number that is not paid until then is released', async () => {
  for (const found of [subscription(false), subscription(false, true), notFound, refused])
    expect((await end({ found: [found] })).outcome).toMatchObject(released);
});

test('one whose subscription has ended is charged no more, and released', async () => {
  const done = { kind: 'ok', value: null } as const;
  const { outcome, paid } = await end({ found: [subscription(false, true)], paying: done, hasCard: true });
  expect(outcome).toMatchObject(released);
  expect(paid).toEqual([]);
});

test('one that was paid, and whose payment has not been told yet, is kept and looked at again', async () => {
  expect(await end({ found: [subscription(true)], hasCard: true })).toMatchObject({
    outcome: kept,
    paid: [],
  });
});

test('one that what is on file by now can pay is paid by it, and kept', async () => {
  const found = [subscription(false)];
  const done = { kind: 'ok', value: null } as const;
  const { outcome, paid } = await end({ found, paying: done, hasCard: true });
  expect([outcome, paid]).toMatchObject([kept, [[expect.any(String), expect.any(String)]]]);
  expect((await end({ found, hasCard: true })).outcome).toMatchObject(released);
});

test.each([
  ['in_1R0aBd', '2027-02-21T05:20:00.000Z'],
  ['in_later', '2027-03-21T05:20:00.000Z'],
])(
  'one of which the provider says that it was paid by %s is owed no more, told or not',
  async (id, paidUntil) => {
    const renewed = {
      events: [{ type: 'NumberRenewed', data: { invoice_id: id, paid_until: paidUntil } }],
    };
    const paid = subscription(true, false, invoice(id, paidUntil));
    expect((await end({ found: [paid] })).outcome).toMatchObject(renewed);
    const done = { kind: 'ok', value: null } as const;
    const found = [subscription(false), paid];
    expect((await end({ found, paying: done, hasCard: true })).outcome).toMatchObject(renewed);
  },
);

test('one whose newest payment was for an earlier month is kept and looked at again', async () => {
  const found = [subscription(true, false, invoice('in_earlier', '2027-01-21T05:20:00.000Z'))];
  expect((await end({ found })).outcome).toMatchObject(kept);
});

test('one that is paid while it is looked at is kept', async () => {
  const paying = { kind: 'rejected', code: null, message: 'The invoice is paid.' } as const;
  const found = [subscription(false), subscription(true)];
  expect((await end({ found, paying, hasCard: true })).outcome).toMatchObject(kept);
  expect((await end({ found: found.slice(0, 1), paying, hasCard: true })).outcome).toMatchObject(released);
});

test('one of which nobody can say whether it was paid is kept until somebody can', async () => {
  const hidden = { kind: 'rejected', code: null, message: 'This key may not read it.' } as const;
  for (const silence of [away, hidden])
    await expect(end({ found: [silence] })).rejects.toThrow(ServiceUnavailable);
  const found = [subscription(false)];
  await expect(end({ found, paying: away, hasCard: true })).rejects.toThrow(ServiceUnavailable);
});

test('one that is owed no more, or is given back, is left alone', async () => {
  for (const type of ['NumberRenewed.v1', 'NumberReleaseRequested.v1'])
    expect((await end({ found: [], more: golden<NumberEvent>(type) })).outcome).toBeUndefined();
});
