import type { Payments, ProviderResult } from '@parley/providers';
import { findSubscription } from './find-subscription.ts';
import { type OneNumber, referenceOf } from './number.ts';

interface Ended {
  /** `null` when there was none. */
  readonly subscriptionId: string | null;
  /** The payment that was given back. */
  readonly refunded: string | null;
}

const nothing = { kind: 'ok', value: { subscriptionId: null, refunded: null } } as const;

/**
 * Ends what a number is paid by. What was paid is given back: all of it where the purchase is undone (`releasedAt` is
 * `null`), else what was charged after its release, before the provider was told of the end. May be repeated.
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

/** The payment of a month that was charged since; `null` when there is none. Nothing is charged any more by now. */
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

/** The provider tells whole seconds. */
const isAtOrAfter = (second: string, moment: string): boolean =>
  Date.parse(second) >= Math.floor(Date.parse(moment) / 1_000) * 1_000;
