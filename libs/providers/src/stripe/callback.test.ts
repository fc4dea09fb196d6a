import { describe, expect, test } from 'vitest';
import { readStripeCallback } from './callback.ts';

const metadata = { number_id: '7', account_id: '3' };
const invoice = {
  id: 'in_1',
  object: 'invoice',
  billing_reason: 'subscription_cycle',
  amount_due: 115,
  currency: 'usd',
  attempt_count: 1,
  created: 1_800_000_000,
  lines: { data: [{ period: { start: 1_800_000_000, end: 1_802_592_000 } }] },
};
const read = (type: string, object: object) =>
  readStripeCallback(Buffer.from(JSON.stringify({ id: 'evt_1', type, data: { object } })));

describe('an invoice of a subscription', () => {
  const since2025 = {
    parent: { type: 'subscription_details', subscription_details: { subscription: 'sub_1', metadata } },
  };
  const before = { subscription: 'sub_1', subscription_details: { metadata } };

  test.each([
    ['by accounts of today', since2025],
    ['by accounts that keep an older API version', before],
  ])('is told %s', (_, details) => {
    const about = { id: 'evt_1', subscriptionId: 'sub_1', invoiceId: 'in_1', metadata };
    expect(read('invoice.paid', { ...invoice, ...details })).toMatchObject({
      ...about,
      kind: 'renewed',
      amountCents: 115,
      paidUntil: '2027-02-14T08:00:00.000Z',
    });
    expect(read('invoice.payment_failed', { ...invoice, ...details })).toMatchObject({
      ...about,
      kind: 'renewal_failed',
      dueAt: '2027-01-15T08:00:00.000Z',
    });
  });

  test('is none without a subscription', () => {
    expect(read('invoice.paid', { ...invoice, parent: null })).toEqual({ id: 'evt_1', kind: 'other' });
    expect(read('invoice.paid', { ...invoice, subscription: null })).toMatchObject({ kind: 'other' });
  });
});
