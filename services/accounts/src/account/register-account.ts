import { type AccountEvent, invalidField } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Account, accountStream } from './account.ts';

export interface RegisterAccount {
  /** A new id that no other account ever had. */
  readonly accountId: number;
  readonly email: string;
  readonly name: string;
  readonly billingUnit: 'credits' | 'minutes';
}

export interface Registered {
  readonly account_id: number;
}

/** Registers an account. Rejects an email address that another account has, whatever its case. */
export function registerAccount(
  state: Account,
  { accountId, email, name, billingUnit }: RegisterAccount,
): Decision<AccountEvent, Registered> {
  if (state) throw new Error(`Account ${accountId} was given out twice.`);
  return {
    events: [
      { type: 'AccountRegistered', data: { account_id: accountId, email, name, billing_unit: billingUnit } },
    ],
    claims: [
      { op: 'take', scope: 'account-email', key: email.toLowerCase(), owner: accountStream(accountId) },
    ],
    onClaimTaken: () => invalidField('email', 'The email has already been taken.'),
    reply: { account_id: accountId },
  };
}
