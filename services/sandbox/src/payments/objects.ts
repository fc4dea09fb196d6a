import type { StripeObject } from './object-store.ts';
import type { Recurrence } from './period.ts';

type Metadata = Readonly<Record<string, string>>;

export interface Price extends StripeObject {
  readonly object: 'price';
  readonly active: boolean;
  readonly currency: string;
  readonly unit_amount: number;
  readonly product: string;
  readonly recurring: Recurrence;
  readonly type: 'recurring';
  readonly created: number;
  readonly livemode: false;
  readonly metadata: Metadata;
}

interface SubscriptionItem {
  readonly id: string;
  readonly object: 'subscription_item';
  readonly price: Price;
  readonly quantity: number;
  readonly current_period_start: number;
  readonly current_period_end: number;
}

export interface Subscription extends StripeObject {
  readonly object: 'subscription';
  readonly customer: string;
  readonly status: 'active' | 'past_due' | 'incomplete' | 'canceled';
  readonly items: { readonly object: 'list'; readonly data: readonly SubscriptionItem[] };
  readonly currency: string;
  readonly default_payment_method: string | null;
  readonly latest_invoice: string | null;
  readonly billing_cycle_anchor: number;
  readonly cancel_at_period_end: boolean;
  readonly canceled_at: number | null;
  readonly ended_at: number | null;
  readonly start_date: number;
  readonly created: number;
  readonly livemode: false;
  readonly metadata: Metadata;
}

export interface Invoice extends StripeObject {
  readonly object: 'invoice';
  readonly customer: string;
  readonly status: 'open' | 'paid';
  readonly billing_reason: 'subscription_create' | 'subscription_cycle';
  readonly currency: string;
  readonly amount_due: number;
  readonly amount_paid: number;
  readonly attempt_count: number;
  readonly status_transitions: { readonly paid_at: number | null };
  readonly parent: {
    readonly type: 'subscription_details';
    readonly subscription_details: {
      readonly subscription: string;
      readonly metadata: Metadata;
    };
  };
  readonly lines: { readonly object: 'list'; readonly data: readonly object[]; readonly has_more: false };
  readonly payments: {
    readonly object: 'list';
    readonly data: readonly {
      readonly id: string;
      readonly object: 'invoice_payment';
      readonly payment: { readonly type: 'payment_intent'; readonly payment_intent: string };
    }[];
    readonly has_more: false;
  };
  readonly created: number;
  readonly livemode: false;
  readonly metadata: Metadata;
}

export interface PaymentMethod extends StripeObject {
  readonly object: 'payment_method';
  readonly type: 'card';
  readonly card: {
    readonly brand: string;
    readonly last4: string;
    readonly exp_month: number;
    readonly exp_year: number;
    readonly country: string;
    readonly funding: string;
  };
  readonly billing_details: object;
  readonly customer: string | null;
  readonly created: number;
  readonly livemode: false;
  readonly metadata: Metadata;
}

export interface Customer extends StripeObject {
  readonly object: 'customer';
  readonly email: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly phone: string | null;
  readonly invoice_settings: { readonly default_payment_method: string | null };
  readonly currency: string | null;
  readonly delinquent: boolean;
  readonly created: number;
  readonly livemode: false;
  readonly metadata: Metadata;
}

export interface Product extends StripeObject {
  readonly object: 'product';
  readonly name: string;
  readonly active: boolean;
  readonly created: number;
  readonly livemode: false;
  readonly metadata: Metadata;
}

export interface Refund extends StripeObject {
  readonly object: 'refund';
  readonly amount: number;
  readonly currency: string;
  readonly payment_intent: string;
  readonly status: 'succeeded';
  readonly reason: string | null;
  readonly created: number;
  readonly metadata: Metadata;
}
