import { newId } from './object-store.ts';
import type { Invoice, Subscription } from './objects.ts';

/** The invoice for the subscription's current period, paid or left open. */
export function invoiceFor(
  subscription: Subscription,
  reason: Invoice['billing_reason'],
  now: number,
  status: Invoice['status'],
): Invoice {
  const items = subscription.items.data;
  const amount = items.reduce((sum, { price, quantity }) => sum + price.unit_amount * quantity, 0);
  return {
    id: newId('in'),
    object: 'invoice',
    customer: subscription.customer,
    status,
    billing_reason: reason,
    currency: subscription.currency,
    amount_due: amount,
    amount_paid: status === 'paid' ? amount : 0,
    attempt_count: 1,
    status_transitions: { paid_at: status === 'paid' ? now : null },
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
    lines: {
      object: 'list',
      data: items.map(({ price, quantity, current_period_start, current_period_end }) => ({
        id: newId('il'),
        object: 'line_item',
        amount: price.unit_amount * quantity,
        currency: price.currency,
        quantity,
        period: { start: current_period_start, end: current_period_end },
      })),
      has_more: false,
    },
    payments: {
      object: 'list',
      data: [
        {
          id: newId('inpay'),
          object: 'invoice_payment',
          payment: { type: 'payment_intent', payment_intent: newId('pi') },
        },
      ],
      has_more: false,
    },
    created: now,
    livemode: false,
    metadata: {},
  };
}
