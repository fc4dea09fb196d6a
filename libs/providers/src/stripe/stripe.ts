import Stripe from 'stripe';
import { z } from 'zod';
import type { Declined, MonthlyOrder, Payments } from '../payments.ts';
import { ok, type ProviderFailure, type ProviderResult, storable } from '../provider-result.ts';
import {
  asked,
  createAnew,
  createStripeClient,
  garbled,
  type StripeOptions,
  stripeFailure,
} from './client.ts';
import { readSubscription } from './subscription.ts';

const mostOnAPage = 100;
const withPayment = ['latest_invoice.payments'];
const named = z.object({ id: z.string().min(1) });
const withCard = z.object({
  card: z.object({ brand: z.string(), last4: z.string(), exp_month: z.int(), exp_year: z.int() }),
});
const noCard: ProviderFailure = { kind: 'rejected', code: 'no_card', message: 'It is no card.' };

/** Payments by Stripe, through its official SDK. */
export function createStripePayments(options: StripeOptions): Payments {
  const client = createStripeClient(options);
  const detachMethod = (methodId: string) =>
    unlessGone(async () => {
      await client.paymentMethods.detach(methodId);
      return ok(null);
    });
  return {
    createCustomer: (metadata, key) =>
      asked(async () => {
        const customer = await createAnew(key, (idempotencyKey) =>
          client.customers.create({ metadata }, { idempotencyKey }),
        );
        const { data } = named.safeParse(customer);
        return data ? ok({ customerId: data.id }) : garbled;
      }),
    attachMethod: (customer, token, key) =>
      unlessDeclined(async () => {
        const attached = await createAnew(`${key}-attach`, (idempotencyKey) =>
          client.paymentMethods.attach(token, { customer }, { idempotencyKey }),
        );
        const { data: known } = named.safeParse(attached);
        if (!known) return garbled;
        const { data: method } = withCard.safeParse(attached);
        if (!method) {
          const detached = await detachMethod(known.id);
          // A rejection means that it is not attached (any more).
          return detached.kind === 'unavailable' || detached.kind === 'unknown' ? detached : noCard;
        }
        const { brand, last4, exp_month: expMonth, exp_year: expYear } = method.card;
        return ok({ methodId: known.id, brand, last4, expMonth, expYear });
      }),
    useMethod: (customer, methodId) =>
      asked(async () => {
        // Without a key: this must take effect again when another request has changed the default since.
        await client.customers.update(customer, { invoice_settings: { default_payment_method: methodId } });
        return ok(null);
      }),
    detachMethod,
    subscribe: (order, key) => unlessDeclined(() => subscribe(client, order, key)),
    findSubscription: (customer, purchaseId) =>
      asked(async () => {
        const wanted = {
          customer,
          status: 'all',
          limit: mostOnAPage,
          expand: withPayment.map((path) => `data.${path}`),
        } as const;
        for await (const subscription of client.subscriptions.list(wanted)) {
          if (subscription.metadata.purchase_id !== purchaseId) continue;
          // A list cannot expand as deeply as a single subscription.
          const whole = await client.subscriptions.retrieve(subscription.id, { expand: withPayment });
          const read = readSubscription(whole);
          return read ? ok(read) : garbled;
        }
        return ok(null);
      }),
    payInvoice: (invoiceId, methodId) =>
      unlessDeclined(async () => {
        await client.invoices.pay(invoiceId, { payment_method: methodId });
        return ok(null);
      }),
    cancelSubscription: (subscriptionId) =>
      unlessGone(async () => {
        await client.subscriptions.cancel(subscriptionId);
        return ok(null);
      }),
    refund: (paymentIntent, key) =>
      unlessGone(async () => {
        // No amount: the whole payment, which Stripe refuses to refund a second time.
        await createAnew(key, (idempotencyKey) =>
          client.refunds.create({ payment_intent: paymentIntent }, { idempotencyKey }),
        );
        return ok(null);
      }),
  };
}

async function subscribe(
  client: Stripe,
  { customerId, amountCents, currency, description, metadata }: MonthlyOrder,
  key: string,
) {
  const price = named.safeParse(
    await client.prices.create(
      {
        currency,
        unit_amount: amountCents,
        recurring: { interval: 'month' },
        product_data: { name: description },
      },
      { idempotencyKey: `${key}-price` },
    ),
  );
  if (!price.success) return garbled;
  const subscription = readSubscription(
    await client.subscriptions.create(
      {
        customer: customerId,
        items: [{ price: price.data.id }],
        description,
        metadata,
        payment_behavior: 'error_if_incomplete',
        expand: withPayment,
      },
      { idempotencyKey: `${key}-subscription` },
    ),
  );
  return subscription ? ok(subscription) : garbled;
}

/** `declined` when the card was refused, or the customer has no payment method any more. */
async function unlessDeclined<T>(
  work: () => Promise<ProviderResult<T>>,
): Promise<ProviderResult<T> | Declined> {
  try {
    return await work();
  } catch (error) {
    const isDeclined = error instanceof Stripe.errors.StripeCardError || hasNoMethod(error);
    return storable(isDeclined ? declined(error) : stripeFailure(error));
  }
}

const declined = ({ message }: Error): Declined => ({ kind: 'declined', message });

const hasNoMethod = (error: unknown): error is Error =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.code === 'resource_missing' &&
  error.param === undefined;

/**
 * Codes that mean there is nothing left to do. A disputed payment is settled between the customer's bank and us: Stripe
 * no longer refunds it.
 */
const goneCodes = new Set([
  'resource_missing',
  'charge_already_refunded',
  'charge_disputed',
  'refund_disputed_payment',
]);

/** `ok` as well when the thing to remove or refund is gone already. */
async function unlessGone(work: () => Promise<ProviderResult<null>>): Promise<ProviderResult<null>> {
  const result = await asked(work);
  return result.kind === 'rejected' && goneCodes.has(result.code ?? '') ? ok(null) : result;
}
