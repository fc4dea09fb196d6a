import { parseJson } from '@parley/process-kit';
import Stripe from 'stripe';
import { z } from 'zod';
import type { PaymentNews } from '../payments.ts';
import { endOf, invoiceLines, toOwed } from './subscription.ts';

const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((given) => given ?? {});
const envelope = z.object({
  id: z.string().min(1),
  type: z.string(),
  data: z.object({ object: z.unknown() }),
});
const subscription = z.object({ id: z.string(), metadata });
/**
 * An invoice's subscription: in its place since API version 2025-03-31, or in the earlier one, which callbacks of older
 * Stripe accounts keep.
 */
const subscriptionDetails = z.union([
  z
    .object({
      parent: z.object({ subscription_details: z.object({ subscription: z.string(), metadata }) }),
    })
    .transform(({ parent }) => parent.subscription_details),
  z
    .object({ subscription: z.string(), subscription_details: z.object({ metadata }) })
    .transform(({ subscription, subscription_details }) => ({ subscription, ...subscription_details })),
]);
const invoice = z.object({
  id: z.string(),
  billing_reason: z.enum(['subscription_create', 'subscription_cycle']),
  amount_due: z.int(),
  currency: z.string(),
  attempt_count: z.int(),
  created: z.int(),
  lines: invoiceLines,
});

/** Whether Stripe signed these bytes with this secret, within the SDK's tolerance (5 minutes). */
export function isSignedByStripe(secret: string, body: Buffer, signature: string): boolean {
  try {
    const { signature: verifier, DEFAULT_TOLERANCE } = Stripe.webhooks;
    return verifier?.verifyHeader(body, signature, secret, DEFAULT_TOLERANCE) === true;
  } catch {
    return false;
  }
}

/** The news in a callback; `null` when the body is no event of Stripe. */
export function readStripeCallback(body: Buffer): PaymentNews | null {
  const event = envelope.safeParse(parseJson(body.toString()));
  if (!event.success) return null;
  const { id, type, data } = event.data;
  return { id, ...newsOf(type, data.object) };
}

type News = PaymentNews extends infer N ? (N extends PaymentNews ? Omit<N, 'id'> : never) : never;

function newsOf(type: string, object: unknown): News {
  if (type === 'customer.subscription.deleted') {
    const ended = subscription.safeParse(object);
    if (ended.success)
      return {
        kind: 'subscription_ended',
        subscriptionId: ended.data.id,
        metadata: ended.data.metadata,
      };
  }
  if (type === 'invoice.paid' || type === 'invoice.payment_failed') {
    const read = invoice.safeParse(object);
    const details = subscriptionDetails.safeParse(object);
    if (read.success && details.success) return invoiceNews(type, read.data, details.data);
  }
  return { kind: 'other' };
}

function invoiceNews(
  type: 'invoice.paid' | 'invoice.payment_failed',
  told: z.output<typeof invoice>,
  { subscription: subscriptionId, metadata }: z.output<typeof subscriptionDetails>,
): News {
  const { id, billing_reason, amount_due, currency, lines } = told;
  const about = {
    subscriptionId,
    metadata,
    invoiceId: id,
    amountCents: amount_due,
    currency,
  };
  if (billing_reason === 'subscription_create')
    // That the first charge failed, the answer to `subscribe` says.
    return type === 'invoice.paid' ? { ...about, kind: 'first_paid' } : { kind: 'other' };
  return type === 'invoice.paid'
    ? { ...about, kind: 'renewed', paidUntil: endOf(lines) }
    : { ...about, ...toOwed(told), kind: 'renewal_failed' };
}
