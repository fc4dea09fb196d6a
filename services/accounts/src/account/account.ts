import type { AccountEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** A customer. `null` until it is registered; accounts are never removed. */
export type Account = {
  readonly accountId: number;
  readonly email: string;
  readonly name: string;
  readonly billingUnit: 'credits' | 'minutes';
} | null;

export const accountStream = (accountId: number): string => `account-${accountId}`;

export const account: Fold<Account, AccountEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'AccountRegistered':
        return {
          accountId: event.data.account_id,
          email: event.data.email,
          name: event.data.name,
          billingUnit: event.data.billing_unit,
        };
      default:
        return state;
    }
  },
};
