import { type Call, type Handler, listOf, ok } from './call.ts';
import { inlinePrice } from './catalogue.ts';
import { findAttached } from './customers.ts';
import { doesDecline, findObject, listObjects, saveObject } from './object-store.ts';
import type { Customer, Invoice, Price, Subscription } from './objects.ts';
import { paymentParameters, subscriptionChanges, subscriptionParameters } from './parameters.ts';
import { cardDeclined, invalid, missing, stripeError } from './stripe-error.ts';
import { type Billing, cancel, endOf, pay, subscribe } from './subscription.ts';

export const createSubscription: Handler = async (call) => {
  const parsed = subscriptionParameters.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('items', 'Invalid subscription parameters.');
  const parameters = parsed.data;
  const customer = await findObject<Customer>(call.db, 'customer', parameters.customer);
  if (!customer) return missing('customer', parameters.customer, 'customer', 400);
  const prices: { price: Price; quantity: number }[] = [];
  for (const item of parameters.items) {
    const price = item.price_data
      ? await inlinePrice(call, item.price_data)
      : await findObject<Price>(call.db, 'price', item.price ?? '');
    if (!price)
      return missing(item.price_data ? 'product' : 'price', item.price ?? '', 'items[0][price]', 400);
    prices.push({ price, quantity: item.quantity });
  }
  const methodId = parameters.default_payment_method ?? customer.invoice_settings.default_payment_method;
  const method = methodId ? await findAttached(call, methodId, customer.id) : null;
  if (!method)
    return stripeError(400, {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message:
        'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
    });
  const isDeclined = await doesDecline(call.db, method.id);
  if (isDeclined && parameters.payment_behavior === 'error_if_incomplete') return cardDeclined();
  const order = {
    customer: customer.id,
    prices,
    // Without one of its own, whatever is the customer's default when it is charged pays.
    paymentMethod: parameters.default_payment_method ?? null,
    metadata: parameters.metadata ?? {},
  };
  const isLeftOpen = isDeclined || parameters.payment_behavior === 'default_incomplete';
  return settle(call, subscribe(order, call.now, isLeftOpen ? 'open' : 'paid'));
};

export const getSubscription: Handler = async (call) => {
  const subscription = await findObject<Subscription>(call.db, 'subscription', call.id);
  return subscription ? ok(await expanded(call, subscription)) : missing('subscription', call.id);
};

/** Those that have not ended, unless `status` asks for others. */
export const listSubscriptions: Handler = async (call) => {
  const { customer, status } = call.request.query;
  const all = await listObjects<Subscription>(
    call.db,
    'subscription',
    typeof customer === 'string' ? customer : null,
  );
  const shown = all.filter((subscription) =>
    status === undefined
      ? subscription.status !== 'canceled'
      : status === 'all' || subscription.status === status,
  );
  return listOf('/v1/subscriptions', shown);
};

export const updateSubscription: Handler = async (call) => {
  const subscription = await findRunning(call);
  if (!subscription) return missing('subscription', call.id);
  const parsed = subscriptionChanges.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('subscription', 'Invalid subscription parameters.');
  const { cancel_at_period_end, default_payment_method, metadata } = parsed.data;
  if (default_payment_method && !(await findAttached(call, default_payment_method, subscription.customer)))
    return missing('PaymentMethod', default_payment_method, 'default_payment_method', 400);
  const updated: Subscription = {
    ...subscription,
    cancel_at_period_end: cancel_at_period_end ?? subscription.cancel_at_period_end,
    default_payment_method: default_payment_method ?? subscription.default_payment_method,
    metadata: { ...subscription.metadata, ...metadata },
  };
  const dueAt = subscription.status === 'active' ? endOf(updated) : await dueAtOf(call);
  return settle(call, {
    subscription: updated,
    invoice: null,
    dueAt,
    events: ['customer.subscription.updated'],
  });
};

export const cancelSubscription: Handler = async (call) => {
  const subscription = await findRunning(call);
  return subscription ? settle(call, cancel(subscription, call.now)) : missing('subscription', call.id);
};

/** Charges the method named for a renewal that is owed. */
export const payInvoice: Handler = async (call) => {
  const parsed = paymentParameters.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('payment_method', 'Missing required param: payment_method.');
  // Subscriptions are locked before their invoices.
  const all = await listObjects<Invoice>(call.db, 'invoice', null);
  const known = all.find(({ id }) => id === call.id);
  if (!known) return missing('invoice', call.id);
  const { subscription: id } = known.parent.subscription_details;
  const subscription = await findObject<Subscription>(call.db, 'subscription', id);
  const invoice = await findObject<Invoice>(call.db, 'invoice', call.id);
  if (!invoice || invoice.status === 'paid' || subscription?.status !== 'past_due')
    return stripeError(400, { type: 'invalid_request_error', message: 'Invoice is not open.' });
  const method = await findAttached(call, parsed.data.payment_method, invoice.customer);
  if (!method) return missing('PaymentMethod', parsed.data.payment_method, 'payment_method', 400);
  if (await doesDecline(call.db, method.id)) {
    await call.emit('invoice.payment_failed', invoice);
    return cardDeclined();
  }
  const billing = pay(subscription, invoice, call.now);
  await saveBilling(call, billing);
  return ok(billing.invoice);
};

async function settle(call: Call, billing: Billing) {
  await saveBilling(call, billing);
  return ok(await expanded(call, billing.subscription));
}

/** Stores what came of a subscription and tells of it. */
export async function saveBilling(
  call: Pick<Call, 'db' | 'emit'>,
  { subscription, invoice, dueAt, events }: Billing,
): Promise<void> {
  const { customer } = subscription;
  await saveObject(call.db, subscription, {
    customer,
    dueAt: dueAt === null ? null : new Date(dueAt * 1000),
  });
  if (invoice) await saveObject(call.db, invoice, { customer });
  for (const type of events)
    await call.emit(type, type.startsWith('invoice.') && invoice ? invoice : subscription);
}

async function findRunning(call: Call): Promise<Subscription | null> {
  const subscription = await findObject<Subscription>(call.db, 'subscription', call.id);
  return subscription?.status === 'canceled' ? null : subscription;
}

async function dueAtOf(call: Call): Promise<number | null> {
  const { rows } = await call.db.query<{ due_at: Date | null }>(
    'select due_at from payments.objects where id = $1',
    [call.id],
  );
  const dueAt = rows[0]?.due_at;
  return dueAt ? Math.floor(dueAt.getTime() / 1000) : null;
}

/** With the latest invoice instead of its id, when the request asks for it. */
async function expanded(call: Call, subscription: Subscription): Promise<object> {
  const wishes = [expandOf(call.request.body), expandOf(call.request.query)].flat();
  if (!subscription.latest_invoice || !wishes.some((wish) => wish.startsWith('latest_invoice')))
    return subscription;
  const invoice = await findObject<Invoice>(call.db, 'invoice', subscription.latest_invoice);
  return { ...subscription, latest_invoice: invoice ?? subscription.latest_invoice };
}

const expandOf = (parameters: unknown): readonly string[] =>
  typeof parameters === 'object' &&
  parameters !== null &&
  'expand' in parameters &&
  Array.isArray(parameters.expand)
    ? parameters.expand.map(String)
    : [];
