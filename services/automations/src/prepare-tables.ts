import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { SqlExecutor } from '@parley/event-store';
import { READ_POOL } from '@parley/service-kit';
import { prepareSecrets } from './connections/secret-store.ts';

/** Creates the tables beside the log before anything is asked or done. */
@Injectable()
export class PrepareTables implements OnModuleInit {
  readonly #sql: SqlExecutor;

  constructor(@Inject(READ_POOL) sql: SqlExecutor) {
    this.#sql = sql;
  }

  async onModuleInit(): Promise<void> {
    await prepareSecrets(this.#sql);
  }
}
