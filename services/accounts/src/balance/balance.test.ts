import type { BalanceEvent } from '@parley/contracts';
import { given } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { balance, balanceStream } from './balance.ts';
import { book } from './booking.ts';
import { capture } from './capture.ts';
import { openHold } from './hold.ts';
import { ledgerLength } from './ledger-length.ts';
import { movementOf } from './ledger-line.ts';
import { refund } from './refund.ts';
import { release } from './release.ts';
import { reserve } from './reserve.ts';
import { setTotal } from './set-total.ts';

const hold = 'b1a7b7c0-0000-4000-8000-000000000001';
const toppedUp = (amount_micros: number): BalanceEvent => ({
  type: 'BalanceToppedUp',
  data: { amount_micros, description: 'Top-up', reference: null },
});
const reserved = (amount_micros: number, hold_id = hold): BalanceEvent => ({
  type: 'BalanceReserved',
  data: { hold_id, amount_micros, description: 'Message', reference: 'message/1' },
});
const paidBack = { description: 'Chargeback', reference: 'dp_1' };
const wish = { holdId: hold, description: 'Message', reference: 'message/1' };

describe('topping up', () => {
  test('adds to the balance', () => {
    expect(
      book(given(balance, toppedUp(10)), 'BalanceToppedUp', {
        amountMicros: 5,
        description: 'Top-up',
        reference: 'pi_1',
      }),
    ).toEqual({
      events: [
        { type: 'BalanceToppedUp', data: { amount_micros: 5, description: 'Top-up', reference: 'pi_1' } },
      ],
      reply: { available_micros: 15, reserved_micros: 0 },
    });
  });

  test('is refused beyond what can be counted exactly', () => {
    const full = given(balance, toppedUp(Number.MAX_SAFE_INTEGER));
    expect(book(full, 'BalanceToppedUp', { ...paidBack, amountMicros: 1 })).toMatchObject({
      code: 'invalid',
      fields: { amount_micros: ['The balance would be too large.'] },
    });
  });
});

describe('a debit', () => {
  const debited = {
    type: 'BalanceDebited',
    data: { amount_micros: 10, description: 'Chargeback', reference: 'dp_1' },
  };
  const spent = given(balance, toppedUp(10), reserved(6));

  test('takes off what is spent and what is set aside already, too', () => {
    expect(book(spent, 'BalanceDebited', { ...paidBack, amountMicros: 10 })).toEqual({
      events: [debited],
      reply: { available_micros: -6, reserved_micros: 6 },
    });
  });

  test('leaves nothing to reserve, and what is set aside may be spent, or is free for what is owed', () => {
    const after = given(balance, toppedUp(10), reserved(6), debited as BalanceEvent);
    expect(reserve(after, { ...wish, amountMicros: 1 })).toEqual({ code: 'insufficient_balance' });
    expect(capture(after, { holdId: hold, amountMicros: 4 }, true)).toMatchObject({
      reply: { available_micros: -4, reserved_micros: 0 },
    });
    expect(release(after, hold, true)).toMatchObject({ reply: { available_micros: 0, reserved_micros: 0 } });
    expect(book(after, 'BalanceToppedUp', { ...paidBack, amountMicros: 7 })).toMatchObject({
      reply: { available_micros: 1 },
    });
  });

  test('is refused beyond what can be counted exactly', () => {
    expect(
      book(spent, 'BalanceDebited', { ...paidBack, amountMicros: Number.MAX_SAFE_INTEGER }),
    ).toMatchObject({
      reply: { available_micros: 4 - Number.MAX_SAFE_INTEGER },
    });
    const poor = given(balance, reserved(6));
    expect(
      book(poor, 'BalanceDebited', { ...paidBack, amountMicros: Number.MAX_SAFE_INTEGER }),
    ).toMatchObject({
      code: 'invalid',
    });
  });
});

describe('setting the total', () => {
  const to = (totalMicros: number) => ({ totalMicros, description: 'Set' });

  test.each([
    [12, 2],
    [4, -6],
  ])('to %d adjusts by the difference', (total, difference) => {
    expect(setTotal(given(balance, toppedUp(10)), to(total))).toMatchObject({
      events: [{ type: 'BalanceAdjusted', data: { amount_micros: difference, description: 'Set' } }],
      reply: { available_micros: total, reserved_micros: 0 },
    });
  });

  test('to what it is adds no line', () => {
    expect(setTotal(given(balance, toppedUp(10)), to(10))).toEqual({
      events: [],
      reply: { available_micros: 10, reserved_micros: 0 },
    });
  });

  test('is refused where the difference could not be counted', () => {
    const owing = book(given(balance), 'BalanceDebited', {
      ...paidBack,
      amountMicros: Number.MAX_SAFE_INTEGER,
    });
    if ('code' in owing) throw new Error(owing.code);
    const owed = given(balance, ...owing.events);
    expect(setTotal(owed, to(0))).toMatchObject({ events: [{ data: { amount_micros: 2 ** 53 - 1 } }] });
    expect(setTotal(owed, to(1))).toMatchObject({
      code: 'invalid',
      fields: { total_balance: ['The total is too far from what it is.'] },
    });
  });

  test('below what is reserved is refused', () => {
    expect(setTotal(given(balance, toppedUp(10), reserved(6)), to(5))).toMatchObject({ code: 'invalid' });
  });
});

describe('reserving', () => {
  test('may take the last of what is available', () => {
    expect(reserve(given(balance, toppedUp(10)), { ...wish, amountMicros: 10 })).toEqual({
      events: [reserved(10)],
      reply: { available_micros: 0, reserved_micros: 10, amount_micros: 10 },
    });
  });

  test('never takes more than is available, reserved money included', () => {
    const state = given(balance, toppedUp(10), reserved(6));
    const refused = { code: 'insufficient_balance' };
    // What is set aside may come back; what is not there does not by itself.
    expect(reserve(state, { ...wish, amountMicros: 5 })).toEqual({ ...refused, retryAfterSeconds: 60 });
    expect(reserve(state, { ...wish, amountMicros: 11 })).toEqual(refused);
  });
});

describe('what is over already', () => {
  const atMost = { ...wish, isAtMost: true, amountMicros: 10 };

  test('takes what is there where that is less, and nothing where nothing is', () => {
    expect(reserve(given(balance, toppedUp(4)), atMost)).toMatchObject({
      events: [{ type: 'BalanceReserved', data: { amount_micros: 4 } }],
      reply: { available_micros: 0, reserved_micros: 4, amount_micros: 4 },
    });
    expect(reserve(given(balance, toppedUp(20)), atMost)).toMatchObject({ reply: { amount_micros: 10 } });
    expect(reserve(given(balance), atMost)).toEqual({ code: 'insufficient_balance' });
  });

  test('is paid from what is set aside for something else, too, which may come back', () => {
    const state = given(balance, toppedUp(12), reserved(6), reserved(6, 'another'));
    const decision = reserve(state, { ...atMost, holdId: 'over' });
    expect(decision).toMatchObject({ reply: { available_micros: -10, amount_micros: 10 } });
    const after = given(balance, toppedUp(12), reserved(6), ...('events' in decision ? decision.events : []));
    expect(release(after, hold, true)).toMatchObject({ reply: { available_micros: 2 } });
  });

  test('spends what was reserved of it', () => {
    const state = given(balance, toppedUp(10), reserved(6));
    expect(capture(state, { holdId: hold, amountMicros: 7, isAtMost: true }, true)).toMatchObject({
      events: [{ data: { amount_micros: 6, released_micros: 0 } }],
    });
  });
});

describe('capturing', () => {
  const state = given(balance, toppedUp(10), reserved(6));

  test('spends a part and frees the rest', () => {
    expect(capture(state, { holdId: hold, amountMicros: 4 }, true)).toEqual({
      events: [
        {
          type: 'BalanceCaptured',
          data: {
            hold_id: hold,
            amount_micros: 4,
            released_micros: 2,
            description: 'Message',
            reference: 'message/1',
          },
        },
      ],
      reply: { available_micros: 6, reserved_micros: 0, amount_micros: 4 },
    });
  });

  test('never spends more than was reserved', () => {
    expect(capture(state, { holdId: hold, amountMicros: 7 }, true)).toMatchObject({ code: 'invalid' });
  });

  test('of an unknown hold finds nothing', () => {
    expect(capture(given(balance), { holdId: hold, amountMicros: 1 }, false)).toMatchObject({
      code: 'not_found',
    });
  });

  test('of a settled hold is refused', () => {
    expect(capture(given(balance), { holdId: hold, amountMicros: 1 }, true)).toEqual({
      code: 'hold_settled',
    });
  });

  test('of nothing leaves no ledger line', () => {
    const decision = capture(state, { holdId: hold, amountMicros: 0 }, true);
    const [event] = 'events' in decision ? decision.events : [];
    expect(event && movementOf(event)).toEqual({ line: null, reservedMicros: -6 });
  });
});

describe('releasing', () => {
  const state = given(balance, toppedUp(10), reserved(6));

  test('frees the whole reservation', () => {
    expect(release(state, hold, true)).toEqual({
      events: [{ type: 'BalanceReleased', data: { hold_id: hold, amount_micros: 6, effect: 'freed' } }],
      reply: { available_micros: 10, reserved_micros: 0, amount_micros: 6 },
    });
  });

  const other = 'b1a7b7c0-0000-4000-8000-000000000002';

  test('of a settled hold is refused', () => {
    expect(release(state, other, true)).toEqual({ code: 'hold_settled' });
  });

  test('of one that was never made keeps it from being made', () => {
    const decision = release(state, other, false);
    const events = 'events' in decision ? decision.events : [];
    expect(decision).toMatchObject({ reply: { available_micros: 4, reserved_micros: 6, amount_micros: 0 } });
    const after = given(balance, toppedUp(10), reserved(6), ...events);
    const late = { ...wish, holdId: other, amountMicros: 1 };
    expect(reserve(after, late)).toEqual({ code: 'hold_settled' });
    expect(reserve(state, late)).toMatchObject({ reply: { amount_micros: 1 } });
  });
});

test('an event of the future leaves the balance as it is', () => {
  const state = given(balance, toppedUp(10));
  const unknown: object = { type: 'BalanceFrozen', data: {} };
  expect(balance.evolve(state, unknown as BalanceEvent)).toBe(state);
});

test('an account has one balance, and remembers the last thousand holds that were given back before they were made', () => {
  expect(balanceStream(7)).toBe('balance-7');
  const barred = (n: number): BalanceEvent => ({
    type: 'BalanceReleased',
    data: { hold_id: `hold-${n}`, amount_micros: 0, effect: 'barred' },
  });
  const { barredHolds } = given(balance, ...Array.from({ length: 1_001 }, (_, n) => barred(n)));
  expect([barredHolds.length, barredHolds[0], barredHolds.at(-1)]).toEqual([1_000, 'hold-1', 'hold-1000']);
});

test('what is done to one hold of thousands that are open costs as little as if it were the only one', {
  timeout: 5_000,
}, () => {
  const id = (n: number) => `hold-${n}`;
  const open = given(
    balance,
    toppedUp(10_000),
    ...Array.from({ length: 4_000 }, (_, n) => reserved(1, id(n))),
  );
  let state = open;
  // Each took 2 ms when all that are open were copied.
  for (let n = 4_000; n < 8_000; n++) {
    const freed: BalanceEvent = {
      type: 'BalanceReleased',
      data: { hold_id: id(n), amount_micros: 1, effect: 'freed' },
    };
    state = [reserved(1, id(n)), freed].reduce(balance.evolve, state);
  }
  expect(state).toEqual(open);
  expect(openHold(state, id(3_999), true)).toMatchObject({ amountMicros: 1 });
});

test('what is said of a hold that never was', () => {
  expect(openHold(given(balance), hold, false)).toEqual({
    code: 'not_found',
    message: 'There is no such reservation.',
  });
});

describe('giving back what a hold was for', () => {
  const about = { holdId: hold, description: 'Refund', reference: 'message/1' };

  test('returns what was captured by a line of its own', () => {
    expect(refund(given(balance, toppedUp(10)), about, { wasReserved: true, capturedMicros: 4 })).toEqual({
      events: [
        {
          type: 'BalanceRefunded',
          data: { hold_id: hold, amount_micros: 4, description: 'Refund', reference: 'message/1' },
        },
      ],
      reply: { available_micros: 14, reserved_micros: 0, amount_micros: 4 },
    });
  });

  test('of a capture of nothing is no line', () => {
    expect(refund(given(balance, toppedUp(10)), about, { wasReserved: true, capturedMicros: 0 })).toEqual({
      events: [],
      reply: { available_micros: 10, reserved_micros: 0, amount_micros: 0 },
    });
  });
});

test('a balance that was kept as a snapshot goes on as it would have', () => {
  const other = 'b1a7b7c0-0000-4000-8000-000000000002';
  const before = given(balance, toppedUp(10), reserved(6), reserved(3, other), {
    type: 'BalanceReleased',
    data: { hold_id: 'late', amount_micros: 0, effect: 'barred' },
  });
  const { snapshots } = balance;
  const after = snapshots?.unpack(JSON.parse(JSON.stringify(snapshots.pack(before))));
  expect(after).toEqual(before);
  expect(after && openHold(after, hold, true)).toEqual(openHold(before, hold, true));
});

test('the ledger has a line for each change of the total, and none for money set aside', () => {
  expect(given(ledgerLength, toppedUp(10), reserved(6), toppedUp(1))).toBe(2);
});
