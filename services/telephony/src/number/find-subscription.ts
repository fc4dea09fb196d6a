import type { MonthlySubscription, Payments, ProviderResult } from '@parley/providers';
import { askAgain } from '../payments/ask-again.ts';

/** The subscription of a purchase, by its id; `null` when none was begun. */
export const findSubscription = (
  payments: Pick<Payments, 'findSubscription'>,
  customerId: string,
  purchaseId: string,
): Promise<ProviderResult<MonthlySubscription | null>> =>
  askAgain(() => payments.findSubscription(customerId, purchaseId));
