import type { Aggregates } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import type { MonthlySubscription, Payments } from '@parley/providers';
import type { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { askAgain } from '../../payments/ask-again.ts';
import { numberCategory, numberStream, type OneNumber, phoneNumber, type UnpaidRenewal } from '../number.ts';
import { requestRelease } from '../release.ts';
import { renewed } from './apply-payment-news.ts';
import { noAnswer, subscriptionOf } from './find-subscription.ts';
import { graceOf, graceTimer } from './grace-timer.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly methods: Pick<PaymentMethods, 'load'>;
  readonly payments: Pick<Payments, 'findSubscription' | 'payInvoice'>;
}

/** Milliseconds until a payment is looked for again that the provider cannot attribute to a month yet. */
const untilToldMs = 60 * 60_000;

/**
 * Timer handler at the end of a grace period: charges what is owed to the card on file, and releases the number when
 * that fails. A payment that was not told yet is recorded here.
 */
export const endGrace =
  ({ aggregates, ...parts }: Parts): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const grace = graceOf(payload);
    const { number_id: id, account_id: accountId } = grace;
    const streamId = numberStream(id);
    const { state, version } = await aggregates.load(streamId, phoneNumber);
    if (state?.phase !== 'owned' || !state.unpaid) return undefined;
    const about = { streamId, category: numberCategory, accountId, expectedVersion: version, metadata };
    const paid = await settled(parts, accountId, state, state.unpaid);
    if (paid) {
      const events = paid.latestSettled ? renewed(state, paid.latestSettled).events : [];
      // The provider repeats its callback only for some days, and may not have reached us.
      if (events.reduce(phoneNumber.evolve, state)?.unpaid === null) return { ...about, events };
      const later = { ...graceTimer(grace, state.unpaid.graceEndsAt), due: { afterMs: untilToldMs } };
      return { ...about, events: [], timers: [later] };
    }
    const { correlationId } = metadata;
    const decision = requestRelease(state, 'unpaid', { accountId, correlationId });
    if ('code' in decision) return undefined;
    const { events, timers = [] } = decision;
    return { ...about, events, timers };
  };

/**
 * The subscription if nothing is owed for it, after an attempt to charge the card on file; `null` while something is
 * owed.
 */
async function settled(
  { methods, payments }: Omit<Parts, 'aggregates'>,
  accountId: number,
  number: OneNumber,
  { invoiceId }: UnpaidRenewal,
): Promise<Pick<MonthlySubscription, 'latestSettled'> | null> {
  const found = await subscriptionOf(payments, number);
  if (!found || found.isEnded) return null;
  if (found.isPaid) return found;
  const { card } = (await methods.load(accountId)).state;
  if (!card) return null;
  const paid = certain(await askAgain(() => payments.payInvoice(invoiceId, card.methodId)));
  if (paid.kind === 'declined') return null;
  // It may have been refused because it was paid meanwhile.
  const present = await subscriptionOf(payments, number);
  if (present?.isPaid) return present;
  return paid.kind === 'ok' ? { latestSettled: null } : null;
}

/** The outcome; throws when the provider gave none, so that the timer fires again. */
function certain<Outcome extends { readonly kind: string }>(outcome: Outcome): Outcome {
  if (outcome.kind === 'unavailable' || outcome.kind === 'unknown') throw noAnswer(outcome);
  return outcome;
}
