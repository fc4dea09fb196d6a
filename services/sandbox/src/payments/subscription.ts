import { invoiceFor } from './invoice.ts';
import { newId } from './object-store.ts';
import type { Invoice, Price, Subscription } from './objects.ts';
import { periodEnd } from './period.ts';

/** A subscription with what Stripe does not show: when it is due, and the events to send. */
export interface Billing {
  readonly subscription: Subscription;
  readonly invoice: Invoice | null;
  /** Unix seconds of the next renewal or charge attempt; null when nothing is to come. */
  readonly dueAt: number | null;
  readonly events: readonly string[];
}

const daySeconds = 86_400;
/** Days after its first failure on which a renewal is charged again; after the last one the subscription ends. */
export const dunningDays = [3, 5, 7] as const;

export interface Order {
  readonly customer: string;
  readonly prices: readonly { readonly price: Price; readonly quantity: number }[];
  readonly paymentMethod: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A new subscription and its first invoice. Nothing is charged and no time runs while it is incomplete. */
export function subscribe(order: Order, now: number, charge: 'paid' | 'open'): Billing {
  const [first] = order.prices;
  const currency = first?.price.currency ?? 'usd';
  const recurrence = first?.price.recurring ?? { interval: 'month', interval_count: 1 };
  const end = periodEnd(now, recurrence, 1);
  const subscription: Subscription = {
    id: newId('sub'),
    object: 'subscription',
    customer: order.customer,
    status: charge === 'paid' ? 'active' : 'incomplete',
    items: {
      object: 'list',
      data: order.prices.map(({ price, quantity }) => ({
        id: newId('si'),
        object: 'subscription_item',
        price,
        quantity,
        current_period_start: now,
        current_period_end: end,
      })),
    },
    currency,
    default_payment_method: order.paymentMethod,
    latest_invoice: null,
    billing_cycle_anchor: now,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    start_date: now,
    created: now,
    livemode: false,
    metadata: order.metadata,
  };
  const invoice = invoiceFor(subscription, 'subscription_create', now, charge);
  return {
    subscription: { ...subscription, latest_invoice: invoice.id },
    invoice,
    dueAt: charge === 'paid' ? end : null,
    events: ['customer.subscription.created', charge === 'paid' ? 'invoice.paid' : 'invoice.payment_failed'],
  };
}

/** What happens when a subscription's time has come: it ends, renews, is charged again, or ends unpaid. */
export function whenDue(
  subscription: Subscription,
  openInvoice: Invoice | null,
  now: number,
  canCharge: boolean,
): Billing {
  if (subscription.status === 'past_due' && openInvoice)
    return chargeAgain(subscription, openInvoice, now, canCharge);
  if (subscription.cancel_at_period_end) return cancel(subscription, endOf(subscription));
  return renew(subscription, canCharge);
}

/** Ends now, for good. */
export const cancel = (subscription: Subscription, now: number): Billing => ({
  subscription: { ...subscription, status: 'canceled', canceled_at: now, ended_at: now },
  invoice: null,
  dueAt: null,
  events: ['customer.subscription.deleted'],
});

export const endOf = ({ items, created }: Subscription): number =>
  items.data[0]?.current_period_end ?? created;

function renew(subscription: Subscription, canCharge: boolean): Billing {
  const start = endOf(subscription);
  const renewed = withPeriod(subscription, start);
  const invoice = invoiceFor(renewed, 'subscription_cycle', start, canCharge ? 'paid' : 'open');
  return {
    subscription: { ...renewed, latest_invoice: invoice.id, status: canCharge ? 'active' : 'past_due' },
    invoice,
    dueAt: canCharge ? endOf(renewed) : start + dunningDays[0] * daySeconds,
    events: [canCharge ? 'invoice.paid' : 'invoice.payment_failed', 'customer.subscription.updated'],
  };
}

function withPeriod(subscription: Subscription, start: number): Subscription {
  const data = subscription.items.data.map((item) => {
    let index = 1;
    while (periodEnd(subscription.billing_cycle_anchor, item.price.recurring, index) <= start) index += 1;
    const end = periodEnd(subscription.billing_cycle_anchor, item.price.recurring, index);
    return { ...item, current_period_start: start, current_period_end: end };
  });
  return { ...subscription, items: { ...subscription.items, data } };
}

/** A renewal that was owed is paid. */
export const pay = (subscription: Subscription, invoice: Invoice, now: number): Billing => ({
  subscription: { ...subscription, status: 'active' },
  invoice: {
    ...invoice,
    status: 'paid',
    amount_paid: invoice.amount_due,
    status_transitions: { paid_at: now },
  },
  dueAt: endOf(subscription),
  events: ['invoice.paid', 'customer.subscription.updated'],
});

function chargeAgain(subscription: Subscription, invoice: Invoice, now: number, canCharge: boolean): Billing {
  const tried = { ...invoice, attempt_count: invoice.attempt_count + 1 };
  if (canCharge) return pay(subscription, tried, now);
  const nextDays = dunningDays[tried.attempt_count - 1];
  if (nextDays === undefined)
    return {
      ...cancel(subscription, now),
      invoice: tried,
      events: ['invoice.payment_failed', 'customer.subscription.deleted'],
    };
  return {
    subscription,
    invoice: tried,
    dueAt: invoice.created + nextDays * daySeconds,
    events: ['invoice.payment_failed'],
  };
}
