import { type NumberEvent, reject } from '@parley/contracts';
import type { PaymentNews } from '@parley/providers';
import { given, golden } from '@parley/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OneNumber, phoneNumber } from '../number.ts';
import { nextStep } from '../purchase/next-step.ts';
import { applyPaymentNews } from './apply-payment-news.ts';

type News = Exclude<PaymentNews, { kind: 'other' }>;

const owner = { accountId: 3, correlationId: 'request-1' };
const subscriptionId = 'sub_1Qz8Ya';
const about = { subscriptionId, invoiceId: 'in_1', metadata: {}, amountCents: 200, currency: 'usd' };
const dueAt = '2026-12-21T05:20:00.000Z';
const failed = (attempt: number): News => ({
  ...about,
  id: `evt_f${attempt}`,
  kind: 'renewal_failed',
  attempt,
  dueAt,
});
const paid: News = { ...about, id: 'evt_p', kind: 'renewed', paidUntil: '2027-01-21T05:20:00.000Z' };
const ended: News = { id: 'evt_e', kind: 'subscription_ended', subscriptionId, metadata: {} };

const owned = (): OneNumber => {
  const state = given(
    phoneNumber,
    ...golden<NumberEvent>(
      'NumberPurchaseRequested.v1',
      'NumberPriced.v1',
      'NumberSubscribed.v1',
      'NumberProvisioned.v1',
      'NumberPurchased.v1',
    ),
  );
  if (!state) throw new Error('There is no number.');
  return state;
};

/** The state after news, told one after the other. */
function after(state: OneNumber, ...told: readonly News[]): OneNumber {
  return told.reduce<OneNumber>((present, news) => {
    const outcome = applyPaymentNews(present, news, owner);
    if ('code' in outcome) throw new Error(outcome.code);
    return outcome.events.reduce(phoneNumber.evolve, present) ?? present;
  }, state);
}

test('money that was written as two fields comes to the same number as money that is one', () => {
  const history = (version: string) =>
    given(
      phoneNumber,
      ...golden<NumberEvent>(
        'NumberPurchaseRequested.v1',
        `NumberPriced.${version}`,
        'NumberSubscribed.v1',
        `NumberPaymentConfirmed.${version}`,
        'NumberProvisioned.v1',
        'NumberPurchased.v1',
        `NumberRenewed.${version}`,
        `NumberRenewalFailed.${version}`,
      ),
    );
  expect(history('v1')).toEqual(history('v2'));
  expect(history('v1')).toMatchObject({
    price: { amountCents: 225, currency: 'gbp' },
    isPaymentConfirmed: true,
    unpaid: { attempt: 2 },
  });
});

describe('a failed renewal', () => {
  test('starts a week of grace that later attempts do not prolong', () => {
    const outcome = applyPaymentNews(owned(), failed(1), owner);
    expect(outcome).toMatchObject({
      events: [{ type: 'NumberRenewalFailed', data: { grace_ends_at: '2026-12-28T05:20:00.000Z' } }],
      timers: [{ id: 'number-grace-7', due: { at: '2026-12-28T05:20:00.000Z' } }],
    });
    const later = { ...failed(2), dueAt: '2026-12-25T00:00:00.000Z' } as News;
    expect(after(owned(), failed(1), later).unpaid).toMatchObject({
      attempt: 2,
      graceEndsAt: '2026-12-28T05:20:00.000Z',
    });
  });

  test('is over once it is paid', () => {
    expect(applyPaymentNews(after(owned(), failed(1)), paid, owner)).toMatchObject({
      events: [{ type: 'NumberRenewed' }],
      cancelTimers: ['number-grace-7'],
    });
  });
});

test('in whatever order and however often news comes, the number ends up the same', () => {
  const told = [failed(1), failed(2), failed(3), paid];
  const straight = after(owned(), ...told);
  fc.assert(
    fc.property(fc.shuffledSubarray([...told, ...told], { minLength: 8 }), (shuffled) => {
      expect(after(owned(), ...shuffled)).toEqual(straight);
    }),
  );
  expect(straight).toMatchObject({ unpaid: null, paidUntil: '2027-01-21T05:20:00.000Z' });
});

describe('invoices of two months', () => {
  const [january, february] = ['2027-01-21T05:20:00.000Z', '2027-02-21T05:20:00.000Z'];
  const second = { invoiceId: 'in_2' };
  const secondPaid = { ...paid, ...second, id: 'evt_p2', paidUntil: february } as News;
  const secondFailed = { ...failed(1), ...second, id: 'evt_f2', dueAt: january } as News;

  test('are paid until the later one ends, whichever is told first', () => {
    expect(after(owned(), paid, secondPaid)).toMatchObject({ paidUntil: february });
    expect(after(owned(), secondPaid, paid)).toMatchObject({ paidUntil: february });
  });

  test('leave the later one unpaid, when the earlier one is told to be paid afterwards', () => {
    const unpaid = after(owned(), paid, secondFailed);
    expect(after(owned(), secondFailed, paid)).toEqual(unpaid);
    expect(unpaid).toMatchObject({ unpaid: { invoiceId: 'in_2', attempt: 1 }, paidUntil: january });
    const outcome = applyPaymentNews(after(owned(), secondFailed), paid, owner);
    expect(outcome).toMatchObject({ events: [{ type: 'NumberRenewed' }, { type: 'NumberRenewalFailed' }] });
    expect(outcome).not.toHaveProperty('cancelTimers');
  });

  test('have a week of grace each, however late and in whatever order it is told what became of the first', () => {
    const graceEndsAt = '2027-01-28T05:20:00.000Z';
    const straight = after(owned(), failed(1), paid, secondFailed);
    expect(straight.unpaid).toMatchObject({ invoiceId: 'in_2', graceEndsAt });
    expect(applyPaymentNews(after(owned(), failed(1)), secondFailed, owner)).toMatchObject({
      timers: [{ id: 'number-grace-7', due: { at: graceEndsAt } }],
    });
    fc.assert(
      fc.property(fc.shuffledSubarray([failed(1), paid, secondFailed], { minLength: 3 }), (told) => {
        expect(after(owned(), ...told)).toEqual(straight);
      }),
    );
  });

  test('leave none unpaid when one is paid that was found to be owed only long after its month', () => {
    const foundLate = { ...failed(4), dueAt: '2027-03-01T05:20:00.000Z' } as News;
    expect(after(owned(), foundLate, paid)).toMatchObject({ unpaid: null });
    expect(applyPaymentNews(after(owned(), foundLate), paid, owner)).toMatchObject({
      cancelTimers: ['number-grace-7'],
    });
  });

  test('are both settled by the later one', () => {
    expect(after(owned(), failed(1), secondPaid)).toMatchObject({ unpaid: null, paidUntil: february });
    expect(applyPaymentNews(after(owned(), failed(1)), secondPaid, owner)).toMatchObject({
      cancelTimers: ['number-grace-7'],
    });
  });
});

test('an ended subscription is the end of the number, once', () => {
  expect(applyPaymentNews(owned(), ended, owner)).toMatchObject({
    events: [{ type: 'NumberReleaseRequested', data: { number_id: 7, reason: 'subscription_ended' } }],
    timers: [{ id: 'number-work-7', due: { afterMs: 0 } }],
  });
  expect(applyPaymentNews(after(owned(), ended), ended, owner)).toMatchObject({ events: [] });
});

test('news of another subscription, or of no number, changes nothing; what comes too early is told again', () => {
  const other = { ...paid, subscriptionId: 'sub_other' } as News;
  expect(applyPaymentNews(owned(), other, owner)).toMatchObject({ events: [] });
  expect(applyPaymentNews(null, paid, owner)).toMatchObject({ events: [] });
  expect(applyPaymentNews({ ...owned(), phase: 'buying' }, paid, owner)).toEqual({ code: 'contended' });
});

test('a first payment is confirmed once, of the subscription that is on record or becomes it', () => {
  const first: News = { ...about, id: 'evt_1', kind: 'first_paid' };
  const requested = given(phoneNumber, ...golden<NumberEvent>('NumberPurchaseRequested.v1'));
  expect(applyPaymentNews(requested, first, owner)).toMatchObject({
    events: [{ type: 'NumberPaymentConfirmed', data: { paid: { minor_units: 200, currency: 'usd' } } }],
  });
  expect(applyPaymentNews(after(owned(), first), first, owner)).toMatchObject({ events: [] });
  const ofAnother: News = { ...first, subscriptionId: 'sub_other' };
  expect(applyPaymentNews(owned(), ofAnother, owner)).toMatchObject({ events: [] });
  expect(applyPaymentNews(null, first, owner)).toMatchObject({ events: [] });
});

test('a first payment that is told when the purchase is undone has it looked at once more', () => {
  const undone = (...more: string[]) =>
    given(
      phoneNumber,
      ...golden<NumberEvent>(
        'NumberPurchaseRequested.v1',
        'NumberPriced.v1',
        ...more,
        'NumberPurchaseFailed.v1',
        'NumberPurchaseUndone.v1',
        'NumberPurchaseRechecked.v1',
      ),
    );
  const first: News = { ...about, id: 'evt_1', kind: 'first_paid' };
  const late = undone();
  expect(applyPaymentNews(late, first, owner)).toMatchObject({
    events: [{ type: 'NumberPaymentConfirmed' }],
    timers: [{ id: 'number-work-7', due: { afterMs: 60_000 }, payload: { number_id: 7, account_id: 3 } }],
  });
  expect(late && nextStep(after(late, first))).toBe('recheck');
  // What is on record was taken back.
  const known = undone('NumberSubscribed.v1');
  expect(applyPaymentNews(known, first, owner)).not.toHaveProperty('timers');
  expect(known && nextStep(after(known, first))).toBeNull();
});

test('news of a purchase that is not on record yet is told again later', () => {
  const requested = given(phoneNumber, ...golden<NumberEvent>('NumberPurchaseRequested.v1'));
  expect(applyPaymentNews(requested, paid, owner)).toEqual(reject('contended'));
});
