import { ServiceUnavailable } from '@parley/message-bus';
import type { MonthlySubscription, Payments, ProviderResult } from '@parley/providers';
import { askAgain } from '../../payments/ask-again.ts';
import type { OneNumber } from '../number.ts';

/** The subscription of a purchase; `null` when none was begun, or its customer no longer exists at the provider. */
export async function findSubscription(
  payments: Pick<Payments, 'findSubscription'>,
  customerId: string,
  purchaseId: string,
): Promise<ProviderResult<MonthlySubscription | null>> {
  const found = await askAgain(() => payments.findSubscription(customerId, purchaseId));
  return found.kind === 'rejected' && found.code === 'unknown_customer' ? { kind: 'ok', value: null } : found;
}

/**
 * The subscription of a number, for work that is retried: rejects with `ServiceUnavailable` when the provider does not
 * tell, also when it denies us access, as a released number cannot be had back. `null` also when the account was
 * imported from an installation with another provider account.
 */
export async function subscriptionOf(
  payments: Pick<Payments, 'findSubscription'>,
  { customerId, purchaseId }: OneNumber,
): Promise<MonthlySubscription | null> {
  if (customerId === null) return null;
  const found = await findSubscription(payments, customerId, purchaseId);
  if (found.kind !== 'ok') throw noAnswer(found);
  return found.value;
}

/** The error that has work retried because the payment provider gave no answer. */
export const noAnswer = ({ kind }: { readonly kind: string }): ServiceUnavailable =>
  new ServiceUnavailable(`The payment provider gave no answer: ${kind}.`);
