import type { BalanceEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountsService } from '../accounts-service.ts';

const balance = accountsService.resources?.find(({ name }) => name === 'balance');

test('the history of a balance tells of each change how much it was, and what for', () => {
  const events = golden<BalanceEvent>(
    'BalanceToppedUp.v1',
    'BalanceAdjusted.v1',
    'BalanceDebited.v1',
    'BalanceReserved.v1',
    'BalanceCaptured.v1',
    'BalanceRefunded.v1',
    'BalanceReleased.v2',
  );
  expect(balance?.changes(events.map((event) => recorded(event))).map(({ summary }) => summary)).toEqual([
    '25.00 was added: Top-up (invoice-1)',
    'An operator corrected the balance by -5.00: Correction',
    'An operator took 30.00 off: Chargeback (dispute-1)',
    '3.00 was set aside: Template message (message/9)',
    '2.00 of what was set aside was spent: Template message (message/9)',
    '2.00 was given back: Not delivered: Template message "order_ready" to +491701234567 (message/31)',
    '3.00 that was set aside is free again.',
  ]);
});

test('a release tells what the money was set aside for', () => {
  const events = golden<BalanceEvent>('BalanceReserved.v1', 'BalanceReleased.v2').map((event) =>
    recorded(event),
  );
  const expected = '3.00 that was set aside is free again: Template message (message/9)';
  expect(balance?.changes(events).at(-1)?.summary).toBe(expected);
});

test('a release that overtook its reservation is told as such', () => {
  const data = { hold_id: 'h', amount_micros: 0, effect: 'barred' } as const;
  const [change] = balance?.changes([recorded({ type: 'BalanceReleased', data })]) ?? [];
  expect(change?.summary).toContain('will not be reserved any more');
});
