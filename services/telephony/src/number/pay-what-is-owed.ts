import { PaymentMethodSet } from '@parley/contracts';
import type { Aggregates, SqlExecutor } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import type { Payments } from '@parley/providers';
import type { PaymentMethods } from '../payment-method/payment-methods.ts';
import { askAgain } from '../payments/ask-again.ts';
import { findPastDueNumbers } from '../views/number-queries.ts';
import { numberStream, phoneNumber } from './number.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly methods: Pick<PaymentMethods, 'load'>;
  readonly payments: Pick<Payments, 'payInvoice'>;
  readonly sql: SqlExecutor;
}

/**
 * A new card is charged at once for the numbers whose renewal failed: the payment provider's next try may come when their
 * grace is over. One that is on file no more is not: it may be heard of late. What came of it is told by the provider, as of
 * every renewal.
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
        // A refusal stands: it was paid meanwhile, or another card has taken this one's place.
        if (paid.kind === 'unavailable' || paid.kind === 'unknown')
          throw new ServiceUnavailable(paid.message);
      }
      return undefined;
    },
  });
