import { type NumberEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { OwedInvoice, PaidInvoice, PaymentNews } from '@parley/providers';
import type { OneNumber, PhoneNumber, UnpaidRenewal } from '../number.ts';
import { workTimer } from '../purchase/work-timer.ts';
import { requestRelease } from '../release.ts';
import { graceTimer, graceTimerId } from './grace-timer.ts';

/** Milliseconds for which a number works after a renewal that could not be charged, from when that was due. */
const graceMs = 7 * 24 * 60 * 60_000;

type Owner = { readonly accountId: number; readonly correlationId: string };
type Outcome = Decision<NumberEvent> | Rejection;

const nothing = { events: [], reply: '{}' } as const;

/**
 * Decides on the payment provider's news of a number's subscription, which come in any order, any number of times. A
 * paid invoice stays paid, and only a later attempt is news of an unpaid one.
 */
export function applyPaymentNews(
  state: PhoneNumber,
  news: Exclude<PaymentNews, { kind: 'other' }>,
  owner: Owner,
): Outcome {
  if (news.kind === 'first_paid') return confirmed(state, news, owner);
  // Comes before the purchase has recorded the subscription: the rejection makes the provider send it again.
  if (state?.phase === 'buying') return reject('contended');
  if (state?.phase !== 'owned' || state.subscriptionId !== news.subscriptionId) return nothing;
  switch (news.kind) {
    case 'renewed':
      return renewed(state, news);
    case 'renewal_failed':
      return renewalFailed(state, news, owner);
    case 'subscription_ended': {
      const released = requestRelease(state, 'subscription_ended', owner);
      return 'code' in released ? released : { ...released, reply: '{}' };
    }
    default:
      return news satisfies never;
  }
}

/**
 * Records that the first month was paid, at any time of the purchase. If that is undone and knows no subscription, a
 * request that had been given up has succeeded after all, and is looked for once more.
 */
function confirmed(
  state: PhoneNumber,
  { subscriptionId, invoiceId, amountCents, currency }: Extract<PaymentNews, { kind: 'first_paid' }>,
  { accountId, correlationId }: Owner,
): Outcome {
  const isOurs = state && (state.subscriptionId ?? subscriptionId) === subscriptionId;
  if (!isOurs || state.isPaymentConfirmed) return nothing;
  const data = { invoice_id: invoiceId, paid: { minor_units: amountCents, currency } };
  const events: NumberEvent[] = [{ type: 'NumberPaymentConfirmed', data }];
  if (state.phase !== 'undone' || state.subscriptionId !== null) return { events, reply: '{}' };
  const work = { number_id: state.id, account_id: accountId, correlation_id: correlationId, attempt: 0 };
  return { events, timers: [workTimer(work, 'recheck')], reply: '{}' };
}

/** Records a paid month; what was owed for it, or for an earlier one, is settled. */
export function renewed(
  state: OneNumber,
  { invoiceId, amountCents, currency, paidUntil }: PaidInvoice,
): Decision<NumberEvent> {
  if (state.paidInvoices.includes(invoiceId)) return nothing;
  const isLater = state.paidUntil === null || Date.parse(paidUntil) > Date.parse(state.paidUntil);
  const renewal: NumberEvent = {
    type: 'NumberRenewed',
    data: {
      invoice_id: invoiceId,
      paid: { minor_units: amountCents, currency },
      paid_until: isLater ? paidUntil : state.paidUntil,
    },
  };
  const { unpaid } = state;
  // The news is late and a later month is still owed, but `NumberRenewed` says that nothing is: the failure is recorded
  // anew.
  if (unpaid && unpaid.invoiceId !== invoiceId && Date.parse(paidUntil) <= dueAtOf(unpaid))
    return { events: [renewal, failedAgain(unpaid)], reply: '{}' };
  return { events: [renewal], cancelTimers: [graceTimerId(state.id)], reply: '{}' };
}

const dueAtOf = ({ graceEndsAt }: UnpaidRenewal): number => Date.parse(graceEndsAt) - graceMs;

const failedAgain = ({ invoiceId, due, attempt, graceEndsAt }: UnpaidRenewal): NumberEvent => ({
  type: 'NumberRenewalFailed',
  data: { invoice_id: invoiceId, due, attempt, grace_ends_at: graceEndsAt },
});

/** Records a month that could not be charged, and begins its grace period; no event when the news is old. */
export function renewalFailed(
  { id, paidInvoices, unpaid }: OneNumber,
  { invoiceId, amountCents, currency, attempt, dueAt }: OwedInvoice,
  { accountId, correlationId }: Owner,
): Decision<NumberEvent> {
  if (paidInvoices.includes(invoiceId)) return nothing;
  const known = unpaid?.invoiceId === invoiceId ? unpaid : null;
  const isOld = known ? known.attempt >= attempt : unpaid && Date.parse(dueAt) <= dueAtOf(unpaid);
  if (isOld) return nothing;
  // The grace period is given once for each month, not with every attempt.
  const graceEndsAt = known?.graceEndsAt ?? new Date(Date.parse(dueAt) + graceMs).toISOString();
  return {
    events: [
      {
        type: 'NumberRenewalFailed',
        data: {
          invoice_id: invoiceId,
          due: { minor_units: amountCents, currency },
          attempt,
          grace_ends_at: graceEndsAt,
        },
      },
    ],
    timers: [
      graceTimer({ number_id: id, account_id: accountId, correlation_id: correlationId }, graceEndsAt),
    ],
    reply: '{}',
  };
}
