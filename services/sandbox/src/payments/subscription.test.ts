import { describe, expect, test } from 'vitest';
import { cancel, dunningDays, endOf, type Order, subscribe, whenDue } from './subscription.ts';

const day = 86_400;
const now = Date.parse('2026-01-15T00:00:00Z') / 1000;
const order: Order = {
  customer: 'cus_1',
  paymentMethod: 'pm_1',
  metadata: { purchase: '7' },
  prices: [
    {
      quantity: 1,
      price: {
        id: 'price_1',
        object: 'price',
        active: true,
        currency: 'usd',
        unit_amount: 250,
        product: 'prod_1',
        recurring: { interval: 'month', interval_count: 1 },
        type: 'recurring',
        created: now,
        livemode: false,
        metadata: {},
      },
    },
  ],
};

describe('a subscription', () => {
  test('is paid for at once and comes due at the end of its month', () => {
    const { subscription, invoice, dueAt, events } = subscribe(order, now, 'paid');
    expect(subscription.status).toBe('active');
    expect(invoice).toMatchObject({
      status: 'paid',
      amount_paid: 250,
      billing_reason: 'subscription_create',
    });
    expect(dueAt).toBe(Date.parse('2026-02-15T00:00:00Z') / 1000);
    expect(events).toEqual(['customer.subscription.created', 'invoice.paid']);
  });

  test('renews month by month, on the day it began', () => {
    let billing = subscribe(order, now, 'paid');
    for (const end of ['2026-03-15', '2026-04-15', '2026-05-15']) {
      billing = whenDue(billing.subscription, null, endOf(billing.subscription), true);
      expect(billing.dueAt).toBe(Date.parse(end) / 1000);
      expect(billing.events).toEqual(['invoice.paid', 'customer.subscription.updated']);
    }
  });

  test('whose renewal is declined is charged again on days 3, 5 and 7, then ends', () => {
    let billing = whenDue(subscribe(order, now, 'paid').subscription, null, now, false);
    const failedAt = endOf(subscribe(order, now, 'paid').subscription);
    expect(billing.subscription.status).toBe('past_due');
    for (const days of dunningDays) {
      expect(billing.dueAt).toBe(failedAt + days * day);
      billing = whenDue(billing.subscription, billing.invoice, failedAt + days * day, false);
      expect(billing.events[0]).toBe('invoice.payment_failed');
    }
    expect(billing.subscription.status).toBe('canceled');
    expect(billing.events).toContain('customer.subscription.deleted');
  });

  test('is active again when a later charge succeeds', () => {
    const failed = whenDue(subscribe(order, now, 'paid').subscription, null, now, false);
    const paid = whenDue(failed.subscription, failed.invoice, now, true);
    expect(paid.subscription.status).toBe('active');
    expect(paid.invoice).toMatchObject({ status: 'paid', amount_paid: 250 });
    expect(paid.dueAt).toBe(endOf(failed.subscription));
  });

  test('ends at once when canceled, and at the end of the period when asked so', () => {
    const { subscription } = subscribe(order, now, 'paid');
    expect(cancel(subscription, now + 5)).toMatchObject({
      subscription: { status: 'canceled', ended_at: now + 5 },
      dueAt: null,
    });
    const atEnd = whenDue({ ...subscription, cancel_at_period_end: true }, null, now, true);
    expect(atEnd.subscription).toMatchObject({ status: 'canceled', ended_at: endOf(subscription) });
  });
});
