import type { NumberEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { boughtNames } from './bought.fixture.ts';
import { phoneNumber } from './number.ts';
import { showNumber } from './show.ts';

const begun = boughtNames.slice(0, 3);
const shownAfter = (...events: string[]) => showNumber(given(phoneNumber, ...golden<NumberEvent>(...events)));

test('a number is shown by the API’s names, and nothing else', () => {
  expect(shownAfter(...boughtNames, 'NumberRenamed.v1')).toEqual({
    id: 7,
    phone_number: expect.stringMatching(/^\+/),
    country_code: expect.stringMatching(/^[A-Z]{2}$/),
    type: expect.any(String),
    sms_capable: expect.any(Boolean),
    voice_capable: null,
    nickname: expect.any(String),
    status: 'active',
    failure: null,
    price: expect.stringMatching(/^\d+\.\d\d$/),
    currency: 'GBP',
    paid_until: expect.any(String),
    grace_ends_at: null,
  });
});

test('a number that nobody wanted is nothing', () => expect(shownAfter()).toBeNull());

test.each([
  [['NumberPurchaseRequested.v1'], { status: 'buying', price: null, currency: null, paid_until: null }],
  [[...begun, 'NumberPurchaseFailed.v1'], { status: 'failed', failure: expect.any(String) }],
  [[...begun, 'NumberPurchaseFailed.v1', 'NumberPurchaseUndone.v1'], { status: 'failed' }],
  [[...boughtNames, 'NumberRenewalFailed.v1'], { status: 'past_due', grace_ends_at: expect.any(String) }],
  [[...boughtNames, 'NumberRenewalFailed.v1', 'NumberRenewed.v1'], { status: 'active', grace_ends_at: null }],
  [[...boughtNames, 'NumberReleaseRequested.v1'], { status: 'released' }],
  [[...boughtNames, 'NumberReleaseRequested.v1', 'NumberReleased.v1'], { status: 'released' }],
])('after %j it is shown as %j', (events, shown) => {
  expect(shownAfter(...events)).toMatchObject(shown);
});
