import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import type { MonthlySubscription, Payments } from '@parley/providers';
import { golden, testMetadata } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { bought } from '../bought.fixture.ts';
import { numberCategory, numberStream } from '../number.ts';
import { checkRenewal, renewalCheck, watchRenewals } from './check-renewal.ts';

const day = 24 * 60 * 60_000;
const owed = golden<NumberEvent>('NumberRenewalFailed.v1');
const released = golden<NumberEvent>('NumberReleaseRequested.v1');
const paidUntil = '2026-12-21T05:20:00.000Z';
const knownBy = Date.parse('2026-12-25T05:20:00.000Z');
const check = { stream_id: numberStream(7), account_id: 3, correlation_id: 'purchase' };
const { due: _, ...timer } = renewalCheck(check, knownBy);

type Found = Awaited<ReturnType<Payments['findSubscription']>>;

async function storeWith(events: readonly NumberEvent[], now = knownBy) {
  const store = createInMemoryEventStore({ now: () => new Date(now) });
  const about = { category: numberCategory, accountId: 3, expectedVersion: 0, metadata: testMetadata };
  await store.append({ ...about, streamId: numberStream(7), events });
  return store;
}

/** What the check comes to, and how often the payment provider is asked. */
async function checked(found: Found, { events = bought, now = knownBy } = {}) {
  const store = await storeWith(events, now);
  let asked = 0;
  const payments: Pick<Payments, 'findSubscription'> = {
    async findSubscription() {
      asked += 1;
      return found;
    },
  };
  const handler = checkRenewal({ aggregates: new Aggregates(store), payments });
  const dueAt = new Date(knownBy).toISOString();
  return { outcome: await handler({ ...timer, dueAt }, { store, metadata: testMetadata }), asked };
}

const subscription = (state: Partial<MonthlySubscription>): Found => ({
  kind: 'ok',
  value: {
    subscriptionId: 'sub_1Qz8Ya',
    isEnded: false,
    isPaid: false,
    paymentIntentId: null,
    paidUntil,
    latestSettled: null,
    latestOwed: null,
    ...state,
  },
});
const paidFor = (until: string): Found =>
  subscription({
    isPaid: true,
    latestSettled: { invoiceId: 'in_2', amountCents: 225, currency: 'gbp', paidUntil: until, paidAt: null },
  });
const owing = (invoiceId: string): Found =>
  subscription({
    latestOwed: {
      invoiceId,
      amountCents: 225,
      currency: 'gbp',
      attempt: 4,
      dueAt: '2026-12-21T06:20:00.000Z',
    },
  });
const at = (time: number) => ({
  events: [],
  timers: [{ id: timer.id, due: { at: new Date(time).toISOString() }, payload: check }],
});

describe('a month of which nothing was told', () => {
  test('ended the subscription: the number is given back', async () => {
    const { outcome } = await checked(subscription({ isEnded: true }));
    expect(outcome).toMatchObject({
      events: [{ type: 'NumberReleaseRequested', data: { reason: 'subscription_ended' } }],
      timers: [{ kind: 'number-work' }],
    });
  });

  test('was paid: that is put on record', async () => {
    const next = '2027-01-21T05:20:00.000Z';
    const { outcome } = await checked(paidFor(next));
    expect(outcome).toMatchObject({
      events: [{ type: 'NumberRenewed', data: { invoice_id: 'in_2', paid_until: next } }],
    });
  });

  test.each([
    ['lately', knownBy],
    ['long ago', knownBy + 60 * day],
  ])(
    'was owed %s, and the provider may try no more: it is put on record, and the number kept for a week from then',
    async (_, now) => {
      const { outcome } = await checked(owing('in_2'), { now });
      const graceEndsAt = new Date(now + 7 * day).toISOString();
      expect(outcome).toMatchObject({
        events: [
          {
            type: 'NumberRenewalFailed',
            data: { invoice_id: 'in_2', attempt: 4, grace_ends_at: graceEndsAt },
          },
        ],
        timers: [{ kind: 'number-grace', due: { at: graceEndsAt } }],
      });
    },
  );

  test('is on record as paid, and owed nevertheless: it is asked about again a day later', async () => {
    const renewal = golden<NumberEvent>('NumberRenewed.v1');
    const now = Date.parse('2028-01-01T00:00:00.000Z');
    const [{ data }] = renewal as [Extract<NumberEvent, { type: 'NumberRenewed' }>];
    const { outcome } = await checked(owing(data.invoice_id), { events: [...bought, ...renewal], now });
    expect(outcome).toMatchObject(at(now + day));
  });

  test('is not decided, or nobody knows of the subscription: it is asked about again a day later', async () => {
    const unknown = { kind: 'ok', value: null } as const;
    for (const found of [subscription({}), subscription({ isPaid: true }), paidFor(paidUntil), unknown])
      expect((await checked(found)).outcome).toMatchObject(at(knownBy + day));
  });

  test('is asked about until there is an answer', async () => {
    await expect(checked({ kind: 'unavailable', message: 'away' })).rejects.toThrow(ServiceUnavailable);
  });
});

test('what is known, owed or given back is not asked about', async () => {
  const ended = subscription({ isEnded: true });
  const early = await checked(ended, { now: knownBy - 1 });
  expect(early).toMatchObject({ asked: 0, outcome: at(knownBy) });
  for (const more of [owed, released])
    expect(await checked(ended, { events: [...bought, ...more] })).toEqual({ asked: 0, outcome: undefined });
});

test('each number that an account has is checked when its next month must be known', async () => {
  const timersOf = async (events: readonly NumberEvent[]) => {
    const store = await storeWith(events);
    const [event = expect.unreachable()] = await store.readAll({ after: 0, limit: 1 });
    const context = { store, metadata: testMetadata } as never;
    return watchRenewals(new Aggregates(store)).react(event, context);
  };
  const { correlationId } = testMetadata;
  const timers = [{ id: timer.id, payload: { ...check, correlation_id: correlationId } }];
  expect(await timersOf(bought)).toMatchObject({ events: [], timers });
  expect(await timersOf([...bought, ...released])).toBeUndefined();
});
