import { expect, test } from 'vitest';
import { renderMe, showAccount } from './me.ts';

const known = { accountId: 1, name: 'Ada', email: 'ada@example.com', billingUnit: 'minutes' } as const;
const shown = { id: 1, name: 'Ada', email: 'ada@example.com', billing_unit: 'minutes' };

test('what is set aside is not available', () => {
  expect(renderMe({ ...known, totalMicros: 10_000_000, reservedMicros: 250_000 })).toEqual({
    ...shown,
    total_balance: '10.00',
    available_balance: '9.75',
    reserved_balance: '0.25',
  });
});

test('in its history an account is shown without its money, and before it was registered not at all', () => {
  expect([showAccount(known), showAccount(null)]).toEqual([shown, null]);
});
