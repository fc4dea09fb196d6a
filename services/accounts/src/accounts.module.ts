import { Module } from '@nestjs/common';
import { AccountController } from './account/account.controller.ts';
import { ErasureController } from './account/erasure.controller.ts';
import { AccountLogController } from './account-log/account-log.controller.ts';
import { ApiKeyController } from './api-key/api-key.controller.ts';
import { ApiKeys } from './api-key/api-keys.ts';
import { BalanceController } from './balance/balance.controller.ts';
import { Ledger } from './balance/ledger.ts';
import { HistoryController } from './history/history.controller.ts';
import { RateLimitController } from './rate-limit/rate-limit.controller.ts';

@Module({
  controllers: [
    AccountController,
    AccountLogController,
    ApiKeyController,
    BalanceController,
    ErasureController,
    HistoryController,
    RateLimitController,
  ],
  providers: [ApiKeys, Ledger],
})
export class AccountsModule {}
