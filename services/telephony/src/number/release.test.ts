import { type NumberEvent, reject } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { phoneNumber } from './number.ts';
import { requestRelease } from './release.ts';

const owner = { accountId: 3, correlationId: 'request-1' };

test('a number that the account does not own, or owns no longer, cannot be released', () => {
  const buying = given(phoneNumber, ...golden<NumberEvent>('NumberPurchaseRequested.v1'));
  const released = given(
    phoneNumber,
    ...golden<NumberEvent>('NumberPurchaseRequested.v1', 'NumberPurchased.v1', 'NumberReleaseRequested.v1'),
  );
  for (const state of [null, buying, released])
    expect(requestRelease(state, 'customer', owner)).toEqual(reject('not_found'));
});
