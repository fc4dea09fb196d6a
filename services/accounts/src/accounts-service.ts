import { Aggregates } from '@parley/event-store';
import { defineResource, numberedStream, type ServiceDefinition } from '@parley/service-kit';
import { account } from './account/account.ts';
import { renderBalance, showAccount } from './account/me.ts';
import { AccountsModule } from './accounts.module.ts';
import { apiKey, showApiKey } from './api-key/api-key.ts';
import { balance } from './balance/balance.ts';
import { describeBalanceEvent } from './balance/describe.ts';
import { importedHoldKind, importedHolds, releaseImportedHold } from './balance/imported-holds.ts';
import { Ledger } from './balance/ledger.ts';
import { accountsView } from './views/accounts-view.ts';
import { apiKeysView } from './views/api-keys-view.ts';
import { ledgerView } from './views/ledger-view.ts';

/** Customers, their API keys, their money, and the limits on what they ask for. */
export const accountsService: ServiceDefinition = {
  name: 'accounts',
  module: AccountsModule,
  projections: [accountsView, apiKeysView, ledgerView],
  resources: [
    defineResource({
      name: 'account',
      streamOf: numberedStream('account'),
      isOnePerAccount: true,
      fold: account,
      show: showAccount,
    }),
    defineResource({
      name: 'api-key',
      streamOf: numberedStream('api-key'),
      fold: apiKey,
      show: showApiKey,
    }),
    /** `balance/7` is the balance of account 7. */
    defineResource({
      name: 'balance',
      streamOf: numberedStream('balance'),
      isOnePerAccount: true,
      fold: balance,
      show: renderBalance,
      describe: describeBalanceEvent,
    }),
  ],
  background({ store }) {
    const aggregates = new Aggregates(store);
    return {
      timers: { [importedHoldKind]: releaseImportedHold(new Ledger(aggregates, store)) },
      standingTimers: [importedHolds(aggregates)],
    };
  },
};
