import { expect, test } from 'vitest';
import { testCard } from './test-cards.ts';

test('a test token is a card, and nothing else is', () => {
  expect(testCard('pm_card_visa')).toMatchObject({ last4: '4242', declines: false });
  expect(testCard('pm_card_chargeDeclined')?.declines).toBe(true);
  for (const other of ['pm_card_x', 'toString', '__proto__']) expect(testCard(other)).toBeNull();
});
