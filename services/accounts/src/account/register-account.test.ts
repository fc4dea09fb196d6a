import { given } from '@parley/testing';
import { expect, test } from 'vitest';
import { account } from './account.ts';
import { registerAccount } from './register-account.ts';

const ada = { accountId: 7, email: 'Ada@Example.com', name: 'Ada', billingUnit: 'credits' } as const;

test('a registered account claims its email in lower case', () => {
  const decision = registerAccount(given(account), ada);
  expect(decision.claims).toEqual([
    { op: 'take', scope: 'account-email', key: 'ada@example.com', owner: 'account-7' },
  ]);
  expect(decision.reply).toEqual({ account_id: 7 });
  expect(given(account, ...decision.events)).toEqual(ada);
});

test('an account id that was given out twice is a bug, not an answer', () => {
  const { events } = registerAccount(given(account), ada);
  expect(() => registerAccount(given(account, ...events), ada)).toThrow('given out twice');
});

test('an email that is taken is told by its field', () => {
  const { onClaimTaken } = registerAccount(given(account), ada);
  const claim = { scope: 'account-email', key: 'ada@example.com', owner: 'account-1' };
  expect(onClaimTaken?.({ ...claim, kind: 'claim-taken' })).toMatchObject({
    code: 'invalid',
    fields: { email: ['The email has already been taken.'] },
  });
});
