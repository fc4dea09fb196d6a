import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { getMe, type OperationInput, registerAccount as registration } from '@parley/contracts';
import {
  Aggregates,
  createIdAllocator,
  type IdAllocator,
  type Moment,
  type SqlExecutor,
} from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  causeOf,
  jsonReply,
  notFoundReply,
  Past,
  QueryHandler,
  READ_POOL,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { balance, balanceStream } from '../balance/balance.ts';
import { createAccountLoader } from '../views/account-queries.ts';
import { account, accountStream } from './account.ts';
import { renderMe } from './me.ts';
import { registerAccount } from './register-account.ts';

@Controller()
export class AccountController {
  readonly #aggregates: Aggregates;
  readonly #ids: IdAllocator;
  readonly #load: ReturnType<typeof createAccountLoader>;
  readonly #past: Past;

  constructor(aggregates: Aggregates, past: Past, @Inject(READ_POOL) pool: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#ids = createIdAllocator(pool, 'account_ids');
    this.#load = createAccountLoader(pool);
    this.#past = past;
  }

  @CommandHandler(registration)
  async register(
    @Payload() { email, name, billing_unit: billingUnit }: z.output<typeof registration.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = await this.#ids.next();
    return toReply(
      await this.#aggregates.execute({
        streamId: accountStream(accountId),
        category: 'account',
        accountId,
        fold: account,
        isNew: true,
        ...causeOf(message),
        decide: (state) => registerAccount(state, { accountId, email, name, billingUnit }),
      }),
    );
  }

  @QueryHandler(getMe)
  async me(
    @Payload() { as_of }: OperationInput<typeof getMe>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    if (as_of === undefined) return this.#meNow(accountId);
    const moment = await this.#past.momentOf(as_of);
    return 'code' in moment ? rejectedReply(moment) : this.#meAt(accountId, moment);
  }

  async #meNow(accountId: number): Promise<BusReply> {
    const row = await this.#load(accountId);
    if (!row) return notFoundReply();
    return jsonReply(
      renderMe({
        accountId,
        name: row.name,
        email: row.email,
        billingUnit: row.billing_unit,
        totalMicros: row.total_micros,
        reservedMicros: row.reserved_micros,
      }),
    );
  }

  /** The past is folded from the events themselves: no view remembers it. */
  async #meAt(accountId: number, moment: Moment): Promise<BusReply> {
    const [{ state }, money] = await Promise.all([
      this.#aggregates.loadAt(accountStream(accountId), account, moment),
      this.#aggregates.loadAt(balanceStream(accountId), balance, moment),
    ]);
    return state ? jsonReply(renderMe({ ...state, ...money.state })) : notFoundReply();
  }
}
