import type { ProviderResult } from './provider-result.ts';

export interface PaymentCard {
  /** The payment provider's id. */
  readonly methodId: string;
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
}

/** What is charged every month, for what. Amounts are in the currency's smallest unit. */
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
  /** It charges nothing any more. */
  readonly isEnded: boolean;
  /** It goes on and nothing is owed for it. */
  readonly isPaid: boolean;
  /** Of the newest payment; null when nothing was paid. */
  readonly paymentIntentId: string | null;
  /** ISO 8601: the end of the current period, paid or not. */
  readonly paidUntil: string;
  /** Its newest invoice, when nothing is owed for it any more: it is paid, or was waived, and then for nothing. */
  readonly latestSettled: SettledInvoice | null;
  /** The same while something is owed for it, whether the provider still tries or has given up. */
  readonly latestOwed: OwedInvoice | null;
}

export interface PaidInvoice {
  readonly invoiceId: string;
  readonly amountCents: number;
  readonly currency: string;
  /** ISO 8601 */
  readonly paidUntil: string;
}

export interface OwedInvoice {
  readonly invoiceId: string;
  readonly amountCents: number;
  readonly currency: string;
  /** The newest one, from 1. */
  readonly attempt: number;
  /** When it was due first, ISO 8601. */
  readonly dueAt: string;
}

interface SettledInvoice extends PaidInvoice {
  /** ISO 8601, to the second; null when that is not told. */
  readonly paidAt: string | null;
}

/** The customer's bank or card says no. */
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

/** What the payment provider tells by itself; `id` is the same whenever it tells it again. */
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
 * Who charges customers. What is asked twice with one `key` is done once, so an unknown outcome may be asked for again.
 * No failure is an exception; every call ends within the adapter's timeout.
 */
export interface Payments {
  createCustomer(
    metadata: Readonly<Record<string, string>>,
    key: string,
  ): Promise<ProviderResult<{ readonly customerId: string }>>;
  /**
   * Attaches what the token stands for; it is not charged yet. `unknown_customer` is the code of a rejection because the
   * provider has no such customer (any more), `no_card` of one because it is no card; that does not stay attached.
   */
  attachMethod(
    customerId: string,
    token: string,
    key: string,
  ): Promise<ProviderResult<PaymentCard> | Declined>;
  /** Makes an attached one what the customer pays with. May be repeated: the last one counts. */
  useMethod(customerId: string, methodId: string): Promise<ProviderResult<null>>;
  /** One that is gone already is fine. */
  detachMethod(methodId: string): Promise<ProviderResult<null>>;
  /** Charges the first month at once; a declined charge leaves no subscription. */
  subscribe(order: MonthlyOrder, key: string): Promise<ProviderResult<MonthlySubscription> | Declined>;
  /** The customer's subscription whose metadata has this `purchase_id`, ended or not. */
  findSubscription(
    customerId: string,
    purchaseId: string,
  ): Promise<ProviderResult<MonthlySubscription | null>>;
  /** Charges the method for an invoice that is open; it stays open when that is declined. One that is not open is refused. */
  payInvoice(invoiceId: string, methodId: string): Promise<ProviderResult<null> | Declined>;
  /** Ends it at once; one that has ended is fine. */
  cancelSubscription(subscriptionId: string): Promise<ProviderResult<null>>;
  /** Gives back what was paid; what was given back already, or taken back by the customer's bank, is fine. */
  refund(paymentIntentId: string, key: string): Promise<ProviderResult<null>>;
}
