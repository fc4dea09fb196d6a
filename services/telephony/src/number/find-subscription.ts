import type { MonthlySubscription, Payments, ProviderResult } from '@parley/providers';
import { askAgain } from '../payments/ask-again.ts';

/** The subscription of a purchase, by its id; `null` when none was begun, or it went with its customer. */
export async function findSubscription(
  payments: Pick<Payments, 'findSubscription'>,
  customerId: string,
  purchaseId: string,
): Promise<ProviderResult<MonthlySubscription | null>> {
  const found = await askAgain(() => payments.findSubscription(customerId, purchaseId));
  return found.kind === 'rejected' && found.code === 'unknown_customer' ? { kind: 'ok', value: null } : found;
}
