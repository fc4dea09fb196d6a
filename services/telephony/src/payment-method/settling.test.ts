import { expect, test } from 'vitest';
import { settlingOf, settlingTimer, settlingTimerId } from './settling.ts';

const changes = [
  { accountId: 3, methodId: 'pm_2', replacedId: 'pm_1' },
  { accountId: 3, methodId: 'pm_2', replacedId: null },
  { accountId: 3, methodId: null, replacedId: 'pm_2' },
  { accountId: 4, methodId: null, replacedId: 'pm_2' },
];

test('a timer says again of which change the provider is to be told', () => {
  for (const change of changes) expect(settlingOf(settlingTimer(change).payload)).toEqual(change);
});

test('each change has a timer of its own', () =>
  expect(new Set(changes.map(settlingTimerId)).size).toBe(changes.length));

test('a timer that names no card, or no account, is a bug', () => {
  for (const payload of [{ account_id: 3 }, { account_id: '3', method_id: 'pm_2' }, { method_id: 'pm_2' }])
    expect(() => settlingOf(payload)).toThrow(TypeError);
});
