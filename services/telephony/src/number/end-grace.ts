import type { Aggregates } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import type { MonthlySubscription, Payments } from '@parley/providers';
import type { PaymentMethods } from '../payment-method/payment-methods.ts';
import { askAgain } from '../payments/ask-again.ts';
import { renewed } from './apply-payment-news.ts';
import { noAnswer, subscriptionOf } from './find-subscription.ts';
import { graceOf, graceTimer } from './grace-timer.ts';
import { numberCategory, numberStream, type OneNumber, phoneNumber, type UnpaidRenewal } from './number.ts';
import { requestRelease } from './release.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly methods: Pick<PaymentMethods, 'load'>;
  readonly payments: Pick<Payments, 'findSubscription' | 'payInvoice'>;
}

/** A payment of which the provider cannot say yet for which month it was. */
const untilToldMs = 60 * 60_000;

/**
 * Takes a number back that is not paid, and that what is on file by now cannot pay; a payment that has not been told yet is
 * put on record here.
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
      // The provider tells of it for some days only, and may have been unable to.
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

/** The subscription when nothing is owed for it any more; `null` while something is. */
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
  // A refusal may mean that it was paid meanwhile.
  const present = await subscriptionOf(payments, number);
  if (present?.isPaid) return present;
  return paid.kind === 'ok' ? { latestSettled: null } : null;
}

/** What the provider cannot say now is asked again. */
function certain<Outcome extends { readonly kind: string }>(outcome: Outcome): Outcome {
  if (outcome.kind === 'unavailable' || outcome.kind === 'unknown') throw noAnswer(outcome);
  return outcome;
}
