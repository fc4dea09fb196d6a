import type { Payments, ProviderResult } from '@parley/providers';
import { type OneNumber, referenceOf } from '../number.ts';
import { findSubscription } from './find-subscription.ts';

interface Ended {
  /** The subscription that was ended; `null` when there was none. */
  readonly subscriptionId: string | null;
  /** The payment that was refunded; `null` for none. */
  readonly refunded: string | null;
}

const nothing = { kind: 'ok', value: { subscriptionId: null, refunded: null } } as const;

/**
 * Ends a number's subscription and refunds: the first payment where the purchase is undone (`releasedAt` is `null`),
 * else what was charged after the release, before the provider knew of it. May be repeated.
 */
export async function endSubscription(
  payments: Payments,
  number: OneNumber,
  releasedAt: string | null,
): Promise<ProviderResult<Ended>> {
  const { customerId, purchaseId } = number;
  let { subscriptionId, paymentIntentId: refundable } = number;
  if (subscriptionId === null) {
    if (customerId === null) return nothing;
    const found = await findSubscription(payments, customerId, purchaseId);
    if (found.kind !== 'ok') return found;
    if (!found.value) return nothing;
    ({ subscriptionId, paymentIntentId: refundable } = found.value);
  }
  const cancelled = await payments.cancelSubscription(subscriptionId);
  if (cancelled.kind !== 'ok') return cancelled;
  if (releasedAt !== null) {
    const late = await chargedSince(payments, number, releasedAt);
    if (late.kind !== 'ok') return late;
    refundable = late.value;
  }
  if (refundable === null) return { kind: 'ok', value: { subscriptionId, refunded: null } };
  const refunded = await payments.refund(refundable, `${referenceOf(number)}-refund`);
  return refunded.kind === 'ok' ? { kind: 'ok', value: { subscriptionId, refunded: refundable } } : refunded;
}

/**
 * The payment of a month that was charged since (ISO 8601); `null` when there is none. The subscription has ended by
 * now, so no charge can follow.
 */
async function chargedSince(
  payments: Payments,
  { customerId, purchaseId, paymentIntentId: first }: OneNumber,
  since: string,
): Promise<ProviderResult<string | null>> {
  if (customerId === null) return { kind: 'ok', value: null };
  const found = await findSubscription(payments, customerId, purchaseId);
  if (found.kind !== 'ok') return found;
  const { latestSettled, paymentIntentId = null } = found.value ?? {};
  const isLate = paymentIntentId !== first && isAtOrAfter(latestSettled?.paidAt ?? '', since);
  return { kind: 'ok', value: isLate ? paymentIntentId : null };
}

/** Compares in whole seconds, as the provider tells times. */
const isAtOrAfter = (second: string, moment: string): boolean =>
  Date.parse(second) >= Math.floor(Date.parse(moment) / 1_000) * 1_000;
