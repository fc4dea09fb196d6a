import type { ProviderResult } from './provider-result.ts';

export interface PaymentCard {
  /** The payment provider's id of the payment method. */
  readonly methodId: string;
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
}

/** A subscription to begin: what is charged every month, and for what. Amounts are in the currency's smallest unit. */
export interface MonthlyOrder {
  readonly customerId: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly description: string;
  /** Comes back in every callback about the subscription. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A subscription as the payment provider has it now. */
export interface MonthlySubscription {
  readonly subscriptionId: string;
  /** It has ended: nothing is charged any more. */
  readonly isEnded: boolean;
  /** It is active, and nothing is owed for it. */
  readonly isPaid: boolean;
  /** Id of the newest invoice's payment, for a refund; null when it has none. */
  readonly paymentIntentId: string | null;
  /** ISO 8601: the end of the current period, paid or not. */
  readonly paidUntil: string;
  /** Its newest invoice when that is settled: paid, or waived (then with an amount of 0); else null. */
  readonly latestSettled: SettledInvoice | null;
  /**
   * Its newest invoice when something is owed for it, whether the provider still tries to charge it or has given up;
   * else null.
   */
  readonly latestOwed: OwedInvoice | null;
}

/** An invoice for which nothing is owed any more, and the end of the time that it covers. */
export interface PaidInvoice {
  readonly invoiceId: string;
  readonly amountCents: number;
  readonly currency: string;
  /** ISO 8601 */
  readonly paidUntil: string;
}

/** An invoice that is not paid. */
export interface OwedInvoice {
  readonly invoiceId: string;
  readonly amountCents: number;
  readonly currency: string;
  /** Number of the newest attempt to charge it, from 1. */
  readonly attempt: number;
  /** When it was first due, ISO 8601. */
  readonly dueAt: string;
}

interface SettledInvoice extends PaidInvoice {
  /** ISO 8601, to the second; null when the provider does not tell. */
  readonly paidAt: string | null;
}

/** The customer's bank refused the charge, or there is no card to charge. */
export interface Declined {
  readonly kind: 'declined';
  readonly message: string;
}

interface InvoiceNews {
  readonly subscriptionId: string;
  readonly invoiceId: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly amountCents: number;
  readonly currency: string;
}

/**
 * A callback of the payment provider; `id` is the same whenever it is repeated. `other` is what nobody here acts on.
 */
export type PaymentNews = { readonly id: string } & (
  | (InvoiceNews & { readonly kind: 'first_paid' })
  | (InvoiceNews & { readonly kind: 'renewed'; readonly paidUntil: string })
  | (InvoiceNews & OwedInvoice & { readonly kind: 'renewal_failed' })
  | {
      readonly kind: 'subscription_ended';
      readonly subscriptionId: string;
      readonly metadata: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'other' }
);

/**
 * Port of the payment provider. Requests with the same `key` take effect once, so a request whose outcome is unknown
 * may be repeated with its key. No failure is an exception; every call ends within the adapter's timeout.
 */
export interface Payments {
  createCustomer(
    metadata: Readonly<Record<string, string>>,
    key: string,
  ): Promise<ProviderResult<{ readonly customerId: string }>>;
  /**
   * Attaches the payment method behind the token to the customer, without charging it. Codes of its rejections:
   * `unknown_customer` (the provider has no such customer any more), `no_card` (the method is not a card; it is
   * detached again).
   */
  attachMethod(
    customerId: string,
    token: string,
    key: string,
  ): Promise<ProviderResult<PaymentCard> | Declined>;
  /**
   * Makes an attached method the one that the customer's subscriptions are charged to. May be repeated: the last call
   * counts.
   */
  useMethod(customerId: string, methodId: string): Promise<ProviderResult<null>>;
  /** Detaches a method; `ok` as well when it is gone already. */
  detachMethod(methodId: string): Promise<ProviderResult<null>>;
  /** Begins a subscription and charges its first month at once; when that is declined, no subscription is left. */
  subscribe(order: MonthlyOrder, key: string): Promise<ProviderResult<MonthlySubscription> | Declined>;
  /** The customer's subscription whose metadata has this `purchase_id`, ended or not. */
  findSubscription(
    customerId: string,
    purchaseId: string,
  ): Promise<ProviderResult<MonthlySubscription | null>>;
  /**
   * Charges an open invoice to the method; when that is declined, the invoice stays open. Rejected when it is not open.
   */
  payInvoice(invoiceId: string, methodId: string): Promise<ProviderResult<null> | Declined>;
  /** Ends the subscription at once; `ok` as well when it has ended already. */
  cancelSubscription(subscriptionId: string): Promise<ProviderResult<null>>;
  /** Refunds a payment as a whole; `ok` as well when it was refunded already, or disputed at the customer's bank. */
  refund(paymentIntentId: string, key: string): Promise<ProviderResult<null>>;
}
