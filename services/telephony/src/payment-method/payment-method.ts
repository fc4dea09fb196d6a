import type { PaymentMethodEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

export interface CardOnFile {
  /** The payment provider's id. */
  readonly methodId: string;
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
}

/** Who an account is at the payment provider, and what it pays with. */
export interface PaymentMethod {
  readonly customerId: string | null;
  readonly card: CardOnFile | null;
  /** What was on file before: the provider forgets these sooner or later, and takes none of them again. */
  readonly formerMethodIds: readonly string[];
}

export const paymentMethodCategory = 'payment-method';
/** One per account. */
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

/** As the API shows it. */
export const toCard = ({ brand, last4, expMonth, expYear }: CardOnFile) => ({
  brand,
  last4,
  exp_month: expMonth,
  exp_year: expYear,
});
