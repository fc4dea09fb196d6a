import { type NumberEvent, summaryOf } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { shownPrice } from './prices.ts';

type Money = { readonly minor_units: number; readonly currency: string };
const money = ({ minor_units: amountCents, currency }: Money): string => {
  const { price, currency: code } = shownPrice({ amountCents, currency });
  return `${price} ${code}`;
};
const day = (instant: string): string => instant.slice(0, 10);

const failures = {
  not_available: 'the carrier had it no more',
  payment_failed: 'the payment failed',
  provider_failed: 'a provider failed',
} as const;
const releases = {
  customer: 'at the customer’s wish',
  unpaid: 'because it was not paid for within the grace period',
  subscription_ended: 'because its subscription had ended',
} as const;

/** A sentence about the event that can be read to a customer. */
export function describeNumberEvent(recorded: RecordedEvent): string {
  // A number's stream holds only these events.
  const { type, data } = recorded as RecordedEvent & NumberEvent;
  switch (type) {
    case 'NumberPurchaseRequested':
      return `Somebody asked to buy ${data.phone_number} (${data.country_code}, ${data.type.replace('_', ' ')}). Nobody else can buy it meanwhile.`;
    case 'NumberPriced':
      return `Its price is ${money(data.monthly_price)} a month.`;
    case 'NumberSubscribed':
      return `The monthly subscription began; it is paid until ${day(data.paid_until)}.`;
    case 'NumberPaymentConfirmed':
      return `The payment provider confirmed the payment of ${money(data.paid)}.`;
    case 'NumberProvisioned':
      return 'The carrier handed the number over.';
    case 'NumberPurchased':
      return `The purchase was completed: ${data.phone_number} belongs to the account.`;
    case 'NumberPurchaseFailed':
      return `The purchase failed, because ${failures[data.reason]}: ${data.detail}`;
    case 'NumberSubscriptionCancelled':
      if (data.subscription_id === null) return 'There was no subscription to cancel.';
      return data.refunded_payment_intent_id === null
        ? 'The subscription was cancelled.'
        : 'The subscription was cancelled, and its last payment was given back.';
    case 'NumberReturned':
      return data.carrier_sid === null
        ? 'The carrier had not handed it over, so there was nothing to give back.'
        : 'The number was given back to the carrier.';
    case 'NumberRenamed':
      return data.nickname === null
        ? 'It lost its nickname.'
        : `It is called ${JSON.stringify(data.nickname)} now.`;
    case 'NumberRenewed':
      return `Another month was paid (${money(data.paid)}), until ${day(data.paid_until)}.`;
    case 'NumberRenewalFailed':
      return `Charging ${money(data.due)} for the next month failed (attempt ${data.attempt}); the number works until ${day(data.grace_ends_at)}.`;
    case 'NumberReleaseRequested':
      return `The number was released, ${releases[data.reason]}.`;
    default:
      return summaryOf(recorded);
  }
}
