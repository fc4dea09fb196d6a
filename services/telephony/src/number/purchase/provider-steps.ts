import type { NumberEvent } from '@parley/contracts';
import type {
  Carrier,
  CarrierNumber,
  Declined,
  MonthlySubscription,
  Payments,
  ProviderFailure,
  ProviderResult,
} from '@parley/providers';
import type { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { askAgain } from '../../payments/ask-again.ts';
import type { InboundLines } from '../../voice/inbound-lines.ts';
import { type FailureReason, lineOf, type OneNumber, referenceOf } from '../number.ts';
import { type NumberPrices, priceOf } from '../prices.ts';
import { endSubscription } from '../subscription/end-subscription.ts';
import { findSubscription } from '../subscription/find-subscription.ts';
import type { Step } from './next-step.ts';
import type { NumberWorkPayload } from './work-timer.ts';

/** The account and the trace of the work, and how its step came about. */
type Origin = Pick<NumberWorkPayload, 'account_id' | 'correlation_id'> & {
  /** The step may have been begun before, however long ago. */
  readonly isAgain: boolean;
  /** When the number's newest event was recorded; for the first step of a release that is its request. */
  readonly dueSince: string;
};

/** A provider has failed; the step is taken again later. */
export interface TryLater {
  readonly kind: 'later';
  readonly message: string;
}

const later = ({ message }: ProviderFailure): TryLater => ({ kind: 'later', message });

const failed = (reason: FailureReason, detail: string): NumberEvent => ({
  type: 'NumberPurchaseFailed',
  data: { reason, detail: detail.slice(0, 500).toWellFormed() },
});

/**
 * Carries out a step at the providers and returns its event. A step may be taken any number of times, also by two
 * processes at once: payments have keys of the purchase, which the provider knows for a day. What may be older is
 * looked up before it is paid, and a number before it is bought.
 */
export class ProviderSteps {
  readonly #carrier: Carrier;
  readonly #payments: Payments;
  readonly #methods: PaymentMethods;
  readonly #lines: InboundLines;
  readonly #prices: NumberPrices;

  constructor(
    carrier: Carrier,
    payments: Payments,
    methods: PaymentMethods,
    lines: InboundLines,
    prices: NumberPrices,
  ) {
    this.#carrier = carrier;
    this.#payments = payments;
    this.#methods = methods;
    this.#lines = lines;
    this.#prices = prices;
  }

  take(step: Step, number: OneNumber, work: Origin): Promise<NumberEvent | TryLater> {
    switch (step) {
      case 'price':
        return this.#price(number, work.account_id);
      case 'subscribe':
        return this.#subscribe(number, work);
      case 'provision':
        return this.#provision(number);
      case 'cancel-subscription':
        return this.#cancelSubscription(number, work);
      case 'return':
        return this.#return(number);
      case 'recheck':
        return this.#recheck(number);
      case 'complete': {
        const { id, phoneNumber } = number;
        return Promise.resolve({
          type: 'NumberPurchased',
          data: { number_id: id, phone_number: phoneNumber },
        });
      }
      case 'finish-undoing':
        return Promise.resolve({
          type: 'NumberPurchaseUndone',
          data: { phone_number: number.phoneNumber },
        });
      case 'finish-release':
        return Promise.resolve({ type: 'NumberReleased', data: { phone_number: number.phoneNumber } });
      default:
        return step satisfies never;
    }
  }

  async #price(number: OneNumber, accountId: number): Promise<NumberEvent> {
    const method = await this.#methods.of(accountId);
    if (!method) return failed('payment_failed', nothingOnFile);
    const price = priceOf(this.#prices, number);
    if (!price) return failed('not_available', 'It has no price any more.');
    const { amountCents, currency } = price;
    return {
      type: 'NumberPriced',
      data: { monthly_price: { minor_units: amountCents, currency }, customer_id: method.customerId },
    };
  }

  async #subscribe(number: OneNumber, origin: Origin): Promise<NumberEvent> {
    const outcome = await this.#subscribeOnce(number, origin);
    // The card went with its customer: a new card makes a new customer.
    const isCustomerGone = outcome.kind === 'rejected' && outcome.code === 'unknown_customer';
    if (outcome.kind === 'declined' || isCustomerGone) return failed('payment_failed', outcome.message);
    if (outcome.kind !== 'ok') return failed('provider_failed', outcome.message);
    const { subscriptionId, isEnded, paymentIntentId, paidUntil } = outcome.value;
    if (isEnded) return failed('provider_failed', 'The subscription has ended already.');
    return {
      type: 'NumberSubscribed',
      data: {
        subscription_id: subscriptionId,
        payment_intent_id: paymentIntentId,
        paid_until: paidUntil,
      },
    };
  }

  /** Begins the subscription, or finds it if it may have been begun before. */
  async #subscribeOnce(
    number: OneNumber,
    { account_id, correlation_id, isAgain }: Origin,
  ): Promise<ProviderResult<MonthlySubscription> | Declined> {
    const { customerId, price, phoneNumber, purchaseId } = number;
    if (customerId === null || !price) throw new Error(`Number ${number.id} has no price yet.`);
    const order = {
      customerId,
      ...price,
      description: `Phone number ${phoneNumber}`,
      metadata: {
        purchase_id: purchaseId,
        number_id: String(number.id),
        account_id: String(account_id),
        request_id: correlation_id,
      },
    };
    const earlier = isAgain ? await this.#begun(customerId, purchaseId) : null;
    if (earlier) return earlier;
    // The process that put the card on file may have died before it told the provider.
    const used = await this.#methods.useOnFile(account_id);
    if (used.kind !== 'ok') return used;
    if (!used.value) return { kind: 'declined', message: nothingOnFile };
    return askAgain(() => this.#payments.subscribe(order, referenceOf(number)));
  }

  /** The subscription if it was begun before; `null` when not. */
  async #begun(customerId: string, purchaseId: string): Promise<ProviderResult<MonthlySubscription> | null> {
    const found = await findSubscription(this.#payments, customerId, purchaseId);
    if (found.kind !== 'ok') return found;
    return found.value && { kind: 'ok', value: found.value };
  }

  async #provision(number: OneNumber): Promise<NumberEvent> {
    const outcome = await this.#buyOnce(number);
    if (outcome.kind !== 'ok') {
      const isSold = outcome.kind === 'rejected' && outcome.code === 'not_available';
      return failed(isSold ? 'not_available' : 'provider_failed', outcome.message);
    }
    const unopened = await this.#lines.open(lineOf(number));
    if (unopened) return failed('provider_failed', unopened.message);
    return { type: 'NumberProvisioned', data: { carrier_sid: outcome.value.sid } };
  }

  /** Buys the number, or finds it if it was bought before, also by a request that is still under way. */
  async #buyOnce(number: OneNumber): Promise<ProviderResult<CarrierNumber>> {
    const reference = referenceOf(number);
    const earlier = await this.#carrier.findByReference(reference);
    if (earlier.kind !== 'ok') return earlier;
    if (earlier.value) return { kind: 'ok', value: earlier.value };
    const bought = await this.#carrier.provision(number, reference);
    if (bought.kind === 'ok' || bought.kind === 'unavailable') return bought;
    // The carrier may take longer to buy it than its answer was waited for.
    return askAgain(async () => {
      const found = await this.#carrier.findByReference(reference);
      return found.kind === 'ok' && found.value ? { kind: 'ok', value: found.value } : bought;
    });
  }

  async #cancelSubscription(number: OneNumber, { dueSince }: Origin): Promise<NumberEvent | TryLater> {
    const releasedAt = number.phase === 'releasing' ? dueSince : null;
    const ended = await endSubscription(this.#payments, number, releasedAt);
    if (ended.kind !== 'ok') return later(ended);
    const { subscriptionId, refunded } = ended.value;
    return {
      type: 'NumberSubscriptionCancelled',
      data: { subscription_id: subscriptionId, refunded_payment_intent_id: refunded },
    };
  }

  async #return(number: OneNumber): Promise<NumberEvent | TryLater> {
    const returned = await this.#giveBack(number);
    if (returned.kind !== 'ok') return later(returned);
    return { type: 'NumberReturned', data: { carrier_sid: returned.value } };
  }

  /** Returns the number to the carrier and closes its line; `null` when the carrier never handed it over. */
  async #giveBack(number: OneNumber): Promise<ProviderResult<string | null>> {
    const { carrierSid, subscriptionId } = number;
    // Numbers are bought only once they are paid for.
    if (carrierSid === null && subscriptionId === null) return { kind: 'ok', value: null };
    const found = carrierSid === null ? await this.#carrier.findByReference(referenceOf(number)) : null;
    if (found && found.kind !== 'ok') return found;
    const sid = carrierSid ?? found?.value?.sid ?? null;
    const released = sid === null ? null : await this.#carrier.release(sid);
    if (released && released.kind !== 'ok') return released;
    const unclosed = await this.#lines.close(lineOf(number));
    return unclosed ?? { kind: 'ok', value: sid };
  }

  /** Looks for late effects of requests that had been given up. What was known then has been taken back already. */
  async #recheck(number: OneNumber): Promise<NumberEvent | TryLater> {
    const { carrierSid, subscriptionId } = number;
    const returned = carrierSid === null ? await this.#giveBack(number) : nothingFound;
    if (returned.kind !== 'ok') return later(returned);
    const ended =
      subscriptionId === null ? await endSubscription(this.#payments, number, null) : nothingFound;
    if (ended.kind !== 'ok') return later(ended);
    return {
      type: 'NumberPurchaseRechecked',
      data: { carrier_sid: returned.value, subscription_id: ended.value?.subscriptionId ?? null },
    };
  }
}

const nothingOnFile = 'There is no payment method on file any more.';
const nothingFound = { kind: 'ok', value: null } as const;
