import { PaymentMethodSet } from '@parley/contracts';
import type { Aggregates, SqlExecutor } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import type { Payments } from '@parley/providers';
import type { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { askAgain } from '../../payments/ask-again.ts';
import { findPastDueNumbers } from '../../views/number-queries.ts';
import { numberStream, phoneNumber } from '../number.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly methods: Pick<PaymentMethods, 'load'>;
  readonly payments: Pick<Payments, 'payInvoice'>;
  readonly sql: SqlExecutor;
}

/**
 * Reactor: charges a new card at once for numbers whose renewal failed, as the payment provider's next attempt may come
 * after the grace period. A card that is no longer on file is not charged. The outcome comes by the provider's
 * callbacks.
 */
export const payWhatIsOwed = ({ aggregates, methods, payments, sql }: Parts): Reactor =>
  defineReactor({
    name: 'pay-what-is-owed',
    handles: [PaymentMethodSet.type],
    laneOf: byAccount,
    async react({ accountId, data }) {
      if (accountId === null) return undefined;
      const { payment_method_id: methodId } = PaymentMethodSet.data.parse(data);
      for (const id of await findPastDueNumbers(sql, accountId)) {
        const { state } = await aggregates.load(numberStream(id), phoneNumber);
        if (state?.phase !== 'owned' || !state.unpaid) continue;
        if ((await methods.load(accountId)).state.card?.methodId !== methodId) return undefined;
        const { invoiceId } = state.unpaid;
        const paid = await askAgain(() => payments.payInvoice(invoiceId, methodId));
        // A refusal is final: it was paid meanwhile, or the card was replaced.
        if (paid.kind === 'unavailable' || paid.kind === 'unknown')
          throw new ServiceUnavailable(paid.message);
      }
      return undefined;
    },
  });
