import type { PaymentMethodEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import type { PaymentCard } from '@parley/providers';

/** An account's customer id at the payment provider, and the card that it pays with. */
export interface PaymentMethod {
  readonly customerId: string | null;
  readonly card: PaymentCard | null;
  /** Cards that were on file before. The provider forgets them sooner or later, and does not accept them again. */
  readonly formerMethodIds: readonly string[];
}

export const paymentMethodCategory = 'payment-method';
/** The one stream of the account. */
export const paymentMethodStream = (accountId: number): string => `${paymentMethodCategory}-${accountId}`;

export const paymentMethod: Fold<PaymentMethod, PaymentMethodEvent> = {
  initialState: { customerId: null, card: null, formerMethodIds: [] },
  evolve(state, { type, data }) {
    switch (type) {
      case 'PaymentCustomerCreated':
        return { ...state, customerId: data.customer_id };
      case 'PaymentMethodSet': {
        const { payment_method_id: methodId, brand, last4, exp_month: expMonth, exp_year: expYear } = data;
        const formerMethodIds = withCard(state).filter((id) => id !== methodId);
        return { ...state, card: { methodId, brand, last4, expMonth, expYear }, formerMethodIds };
      }
      case 'PaymentMethodRemoved':
        return { ...state, card: null, formerMethodIds: withCard(state) };
      default:
        return state;
    }
  },
};

const withCard = ({ card, formerMethodIds }: PaymentMethod): readonly string[] =>
  card ? [...formerMethodIds, card.methodId] : formerMethodIds;

/** The card as the API shows it. */
export const toCard = ({ brand, last4, expMonth, expYear }: PaymentCard) => ({
  brand,
  last4,
  exp_month: expMonth,
  exp_year: expYear,
});
