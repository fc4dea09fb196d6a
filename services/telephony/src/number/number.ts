import type { NumberEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import type { NumberType } from '@parley/providers';
import type { InboundNumber } from '../voice/inbound-lines.ts';
import type { MonthlyPrice } from './prices.ts';

export type FailureReason = Extract<NumberEvent, { type: 'NumberPurchaseFailed' }>['data']['reason'];

type RenewalFailed = Extract<NumberEvent, { type: 'NumberRenewalFailed' }>['data'];

/** A renewal that could not be charged; times are ISO 8601. */
export interface UnpaidRenewal {
  readonly invoiceId: string;
  readonly due: RenewalFailed['due'];
  readonly attempt: number;
  readonly graceEndsAt: string;
}

/**
 * A phone number from the request to buy it to its release; times are ISO 8601.
 * - `buying`, `owned`: the purchase is under way, or complete.
 * - `undoing`: the purchase failed, and what was done for it is taken back. `undone`: that is done.
 * - `releasing`: no longer the account's, but still at the providers. `released`: gone there, too.
 */
export interface OneNumber {
  readonly id: number;
  readonly phase: 'buying' | 'owned' | 'undoing' | 'undone' | 'releasing' | 'released';
  readonly purchaseId: string;
  readonly phoneNumber: string;
  readonly country: string;
  readonly type: NumberType;
  readonly smsCapable: boolean;
  /** False for a number that is for SMS alone; null where nobody noted it. */
  readonly voiceCapable: boolean | null;
  readonly nickname: string | null;
  readonly commandId: string | null;
  readonly commandFingerprint: string | null;
  readonly failure: FailureReason | null;
  readonly price: MonthlyPrice | null;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly paymentIntentId: string | null;
  readonly paidUntil: string | null;
  /** The payment provider's callback has confirmed the first payment. */
  readonly isPaymentConfirmed: boolean;
  /** The carrier's id; null until the number is handed over. */
  readonly carrierSid: string | null;
  /** The subscription was ended, or there was none. */
  readonly isCancelled: boolean;
  /** The number was given back to the carrier, or never handed over. */
  readonly isReturned: boolean;
  /** After a failed purchase, late effects of its requests were looked for. */
  readonly isRechecked: boolean;
  readonly unpaid: UnpaidRenewal | null;
  /** Paid invoices of renewals: late news of one of them changes nothing. */
  readonly paidInvoices: readonly string[];
}

/** `null` until somebody asks to buy it. */
export type PhoneNumber = OneNumber | null;

export const numberTypes = ['local', 'mobile', 'toll_free'] as const satisfies readonly NumberType[];

export const numberCategory = 'number';
export const numberStream = (id: number): string => `${numberCategory}-${id}`;

/** Our label of the number at the carrier and the payment provider, by which it is found even if answers were lost. */
export const referenceOf = ({ purchaseId }: Pick<OneNumber, 'purchaseId'>): string => `parley-${purchaseId}`;

/** The number as the voice platform's inbound lines know it. */
export const lineOf = (number: Pick<OneNumber, 'purchaseId' | 'phoneNumber'>): InboundNumber => ({
  reference: referenceOf(number),
  number: number.phoneNumber,
});

type Requested = Extract<NumberEvent, { type: 'NumberPurchaseRequested' }>['data'];

const requested = (data: Requested): OneNumber => ({
  id: data.number_id,
  phase: 'buying',
  purchaseId: data.purchase_id,
  phoneNumber: data.phone_number,
  country: data.country_code,
  type: data.type,
  smsCapable: data.sms_capable,
  voiceCapable: data.voice_capable,
  nickname: null,
  commandId: data.command_id,
  commandFingerprint: data.command_fingerprint,
  failure: null,
  price: null,
  customerId: null,
  subscriptionId: null,
  paymentIntentId: null,
  paidUntil: null,
  isPaymentConfirmed: false,
  carrierSid: null,
  isCancelled: false,
  isReturned: false,
  isRechecked: false,
  unpaid: null,
  paidInvoices: [],
});

export const phoneNumber: Fold<PhoneNumber, NumberEvent> = {
  initialState: null,
  evolve(state, event) {
    if (event.type === 'NumberPurchaseRequested') return requested(event.data);
    return state && { ...state, ...changeOf(state, event) };
  },
};

function changeOf(
  state: OneNumber,
  event: Exclude<NumberEvent, { type: 'NumberPurchaseRequested' }>,
): Partial<OneNumber> {
  const { type, data } = event;
  switch (type) {
    case 'NumberPriced':
      return {
        price: { amountCents: data.monthly_price.minor_units, currency: data.monthly_price.currency },
        customerId: data.customer_id,
      };
    case 'NumberSubscribed':
      return {
        subscriptionId: data.subscription_id,
        paymentIntentId: data.payment_intent_id,
        paidUntil: data.paid_until,
      };
    case 'NumberPaymentConfirmed':
      // A payment without a recorded subscription came after the recheck, if there was one: that has to be made again.
      return {
        isPaymentConfirmed: true,
        isRechecked: state.isRechecked && state.subscriptionId !== null,
      };
    case 'NumberProvisioned':
      return { carrierSid: data.carrier_sid };
    case 'NumberPurchased':
      return { phase: 'owned' };
    case 'NumberPurchaseFailed':
      return { phase: 'undoing', failure: data.reason };
    case 'NumberSubscriptionCancelled':
      return { isCancelled: true };
    case 'NumberReturned':
      return { isReturned: true };
    case 'NumberPurchaseUndone':
      return { phase: 'undone' };
    case 'NumberPurchaseRechecked':
      return { isRechecked: true };
    case 'NumberRenamed':
      return { nickname: data.nickname };
    case 'NumberRenewed':
      return {
        paidUntil: data.paid_until,
        unpaid: null,
        paidInvoices: [...state.paidInvoices, data.invoice_id],
      };
    case 'NumberRenewalFailed':
      return {
        unpaid: {
          invoiceId: data.invoice_id,
          due: data.due,
          attempt: data.attempt,
          graceEndsAt: data.grace_ends_at,
        },
      };
    case 'NumberReleaseRequested':
      return { phase: 'releasing' };
    case 'NumberReleased':
      return { phase: 'released' };
    default:
      event satisfies never;
      return {};
  }
}
