import { ServiceUnavailable } from '@parley/message-bus';
import type { MonthlySubscription, Payments, ProviderResult } from '@parley/providers';
import { askAgain } from '../payments/ask-again.ts';
import type { OneNumber } from './number.ts';

/** The subscription of a purchase, by its id; `null` when none was begun, or it went with its customer. */
export async function findSubscription(
  payments: Pick<Payments, 'findSubscription'>,
  customerId: string,
  purchaseId: string,
): Promise<ProviderResult<MonthlySubscription | null>> {
  const found = await askAgain(() => payments.findSubscription(customerId, purchaseId));
  return found.kind === 'rejected' && found.code === 'unknown_customer' ? { kind: 'ok', value: null } : found;
}

/**
 * The same for a number, for work that is tried again: rejects where the provider does not say, also where it does not let us
 * see, since a number that is given back is gone. `null` too where the account came from an installation with another provider.
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

export const noAnswer = ({ kind }: { readonly kind: string }): ServiceUnavailable =>
  new ServiceUnavailable(`The payment provider gave no answer: ${kind}.`);
