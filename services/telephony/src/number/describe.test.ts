import type { NumberEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { describeNumberEvent } from './describe.ts';

const say = (event: NumberEvent | undefined): string => {
  if (!event) throw new Error('There is no event.');
  return describeNumberEvent(recorded(event));
};
const of = (name: string): string => say(golden<NumberEvent>(name)[0]);

test.each([
  ['NumberPurchaseRequested.v1', /^Somebody asked to buy \+14155550123 \(US, toll free\)\./],
  ['NumberPriced.v1', 'Its price is 2.25 GBP a month.'],
  ['NumberPriced.v2', 'Its price is 2.25 GBP a month.'],
  ['NumberSubscribed.v1', 'The monthly subscription began; it is paid until 2026-12-21.'],
  ['NumberProvisioned.v1', 'The carrier handed the number over.'],
  ['NumberPurchased.v1', 'The purchase was completed: +14155550123 belongs to the account.'],
  [
    'NumberPurchaseFailed.v1',
    'The purchase failed, because the carrier had it no more: +14155550123 is not available. „Schade“ 東京',
  ],
  ['NumberReleaseRequested.v1', /because it was not paid for within the grace period\.$/],
  ['NumberRenamed.v1', /^It is called ".*" now\.$/],
  ['NumberRenewed.v1', /^Another month was paid \(\d+\.\d\d [A-Z]{3}\), until \d{4}-\d\d-\d\d\.$/],
  ['NumberRenewalFailed.v1', /failed \(attempt 2\); the number works until 2027-01-28\.$/],
  ['NumberPaymentConfirmed.v1', /^The payment provider confirmed the payment of \d+\.\d\d [A-Z]{3}\.$/],
])('%s is told to a customer', (name, sentence) => {
  if (typeof sentence === 'string') expect(of(name)).toBe(sentence);
  else expect(of(name)).toMatch(sentence);
});

test('what was undone is told by what there was to undo', () => {
  const cancelled = (subscription_id: string | null, refunded_payment_intent_id: string | null) =>
    say({ type: 'NumberSubscriptionCancelled', data: { subscription_id, refunded_payment_intent_id } });
  expect(cancelled('sub_1', 'pi_1')).toMatch(/given back\.$/);
  expect(cancelled('sub_1', null)).toBe('The subscription was cancelled.');
  expect(cancelled(null, null)).toBe('There was no subscription to cancel.');
  expect(say({ type: 'NumberReturned', data: { carrier_sid: 'PN1' } })).toBe(
    'The number was given back to the carrier.',
  );
  expect(say({ type: 'NumberReturned', data: { carrier_sid: null } })).toMatch(/nothing to give back\.$/);
  expect(say({ type: 'NumberRenamed', data: { nickname: null } })).toBe('It lost its nickname.');
});

test('what has no words of its own is told by its summary in the catalogue, and what is not there by its type', () => {
  expect(of('NumberReleased.v1')).toMatch(/ /);
  expect(describeNumberEvent(recorded({ type: 'WrittenByALaterRelease', data: {} }))).toBe(
    'WrittenByALaterRelease',
  );
});
