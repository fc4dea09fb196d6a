import type { NumberEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { phoneNumber } from '../number.ts';
import { nextStep } from './next-step.ts';

const names = [
  'NumberPurchaseRequested',
  'NumberPriced',
  'NumberSubscribed',
  'NumberProvisioned',
  'NumberPurchased',
  'NumberPurchaseFailed',
  'NumberSubscriptionCancelled',
  'NumberReturned',
  'NumberPurchaseUndone',
  'NumberPurchaseRechecked',
  'NumberReleaseRequested',
  'NumberReleased',
] as const;
type Name = (typeof names)[number];

/** What is to be done after events as they were once written. */
function stepAfter(...happened: Name[]) {
  const state = given(phoneNumber, ...golden<NumberEvent>(...happened.map((name) => `${name}.v1`)));
  return state && nextStep(state);
}

const bought: Name[] = ['NumberPurchaseRequested', 'NumberPriced', 'NumberSubscribed', 'NumberProvisioned'];

describe('a purchase', () => {
  test.each([
    [1, 'price'],
    [2, 'subscribe'],
    [3, 'provision'],
    [4, 'complete'],
  ] as const)('of which %i steps are on record goes on to %s', (done, next) => {
    expect(stepAfter(...bought.slice(0, done))).toBe(next);
  });

  test('that is completed has no more to do', () => {
    expect(stepAfter(...bought, 'NumberPurchased')).toBeNull();
  });

  test.each([1, 2, 3])(
    'that fails after %i steps is undone in the same order, and looked at once more',
    (done) => {
      const failed: Name[] = [...bought.slice(0, done), 'NumberPurchaseFailed'];
      expect(stepAfter(...failed)).toBe('cancel-subscription');
      expect(stepAfter(...failed, 'NumberSubscriptionCancelled')).toBe('return');
      const undone: Name[] = [...failed, 'NumberSubscriptionCancelled', 'NumberReturned'];
      expect(stepAfter(...undone)).toBe('finish-undoing');
      expect(stepAfter(...undone, 'NumberPurchaseUndone')).toBe('recheck');
      expect(stepAfter(...undone, 'NumberPurchaseUndone', 'NumberPurchaseRechecked')).toBeNull();
    },
  );
});

test('a release ends the subscription, gives the number back, and is over', () => {
  const released: Name[] = [...bought, 'NumberPurchased', 'NumberReleaseRequested'];
  expect(stepAfter(...released)).toBe('cancel-subscription');
  expect(stepAfter(...released, 'NumberSubscriptionCancelled')).toBe('return');
  const gone: Name[] = [...released, 'NumberSubscriptionCancelled', 'NumberReturned'];
  expect(stepAfter(...gone)).toBe('finish-release');
  expect(stepAfter(...gone, 'NumberReleased')).toBeNull();
});
