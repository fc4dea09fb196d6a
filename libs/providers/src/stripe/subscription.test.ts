import { expect, test } from 'vitest';
import { readSubscription } from './subscription.ts';

const answer = {
  id: 'sub_1',
  status: 'active',
  items: { data: [{ current_period_end: 1_800_000_000 }, { current_period_end: 1_700_000_000 }] },
};

test('a subscription is paid until the end of its longest period', () => {
  expect(readSubscription(answer)).toEqual({
    subscriptionId: 'sub_1',
    isEnded: false,
    isPaid: true,
    paymentIntentId: null,
    paidUntil: '2027-01-15T08:00:00.000Z',
    latestSettled: null,
    latestOwed: null,
  });
});

test('its payment is that of its latest invoice, where the answer holds it', () => {
  const paid = { payments: { data: [{ payment: { payment_intent: 'pi_1' } }] } };
  expect(readSubscription({ ...answer, latest_invoice: paid })?.paymentIntentId).toBe('pi_1');
  for (const latest_invoice of ['in_1', null, {}, { payments: null }, { payments: { data: [] } }])
    expect(readSubscription({ ...answer, latest_invoice })?.paymentIntentId).toBeNull();
});

test('its latest invoice is told as paid when the answer says so, and holds it', () => {
  const lines = { data: [{ period: { end: 1_700_000_000 } }, { period: { end: 1_800_000_000 } }] };
  const invoice = {
    id: 'in_1',
    status: 'paid',
    amount_due: 225,
    currency: 'gbp',
    lines,
    status_transitions: { paid_at: 1_690_000_000 },
  };
  const latestSettled = (latest_invoice: unknown) =>
    readSubscription({ ...answer, latest_invoice })?.latestSettled;
  expect(latestSettled(invoice)).toEqual({
    invoiceId: 'in_1',
    amountCents: 225,
    currency: 'gbp',
    paidUntil: '2027-01-15T08:00:00.000Z',
    paidAt: '2023-07-22T04:26:40.000Z',
  });
  expect(latestSettled({ ...invoice, status_transitions: null })).toMatchObject({ paidAt: null });
  // What is waived is owed no more, and cost nothing.
  expect(latestSettled({ ...invoice, status: 'void' })).toMatchObject({ invoiceId: 'in_1', amountCents: 0 });
  for (const other of [{ ...invoice, status: 'open' }, 'in_1', null, {}])
    expect(latestSettled(other)).toBeNull();
});

test('its latest invoice is told as owed until it is paid or waived, also where Stripe has given up', () => {
  const invoice = { id: 'in_1', amount_due: 225, currency: 'gbp', attempt_count: 4, created: 1_690_000_000 };
  const latestOwed = (latest_invoice: unknown) => readSubscription({ ...answer, latest_invoice })?.latestOwed;
  for (const status of ['draft', 'open', 'uncollectible'])
    expect(latestOwed({ ...invoice, status })).toEqual({
      invoiceId: 'in_1',
      amountCents: 225,
      currency: 'gbp',
      attempt: 4,
      dueAt: '2023-07-22T04:26:40.000Z',
    });
  const givenAway = { ...invoice, status: 'uncollectible', attempt_count: 0 };
  for (const other of [
    { ...invoice, status: 'paid' },
    { ...invoice, status: 'void' },
    givenAway,
    'in_1',
    null,
  ])
    expect(latestOwed(other)).toBeNull();
});

test.each([
  ['canceled', true],
  ['incomplete_expired', true],
  ['past_due', false],
  ['unpaid', false],
])('%s: it has ended is %s, and it is not paid', (status, isEnded) =>
  expect(readSubscription({ ...answer, status })).toMatchObject({ isEnded, isPaid: false }),
);

test('anything else is no subscription', () => {
  for (const other of [null, {}, { ...answer, id: '' }, { ...answer, items: { data: [] } }])
    expect(readSubscription(other)).toBeUndefined();
});

test('one that is active by a month that was written off is not paid', () => {
  const isPaid = (status: string) => readSubscription({ ...answer, latest_invoice: { status } })?.isPaid;
  expect(['uncollectible', 'void', 'paid'].map(isPaid)).toEqual([false, true, true]);
});
