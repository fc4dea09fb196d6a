import { Controller, Inject, UseGuards } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  captureBalance,
  checkBalance,
  debitBalance,
  listBalanceTransactions,
  type OperationInput,
  refundBalance,
  releaseBalance,
  reserveBalance,
  setBalance,
  topUpBalance,
} from '@parley/contracts';
import { Aggregates, type EventStore, type SqlExecutor } from '@parley/event-store';
import { type BusReply, type MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  EVENT_STORE,
  explainedEventOf,
  jsonReply,
  notFoundReply,
  Past,
  QueryHandler,
  READ_POOL,
  rejectedReply,
  textReply,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { account, accountStream } from '../account/account.ts';
import { createLinesLoader, findAccountByEmail } from '../views/account-queries.ts';
import { availableMicros, balance, balanceStream } from './balance.ts';
import { type BookingType, book, importedBooking } from './booking.ts';
import { capture } from './capture.ts';
import { Ledger } from './ledger.ts';
import { ledgerLength } from './ledger-length.ts';
import { refund } from './refund.ts';
import { release } from './release.ts';
import { refusalByBalance, reserve } from './reserve.ts';
import { SandboxOnly } from './sandbox-only.ts';
import { setTotal } from './set-total.ts';

@Controller()
export class BalanceController {
  readonly #ledger: Ledger;
  readonly #aggregates: Aggregates;
  readonly #past: Past;
  readonly #store: EventStore;
  readonly #pool: SqlExecutor;
  readonly #lines: ReturnType<typeof createLinesLoader>;

  constructor(
    ledger: Ledger,
    aggregates: Aggregates,
    past: Past,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) pool: SqlExecutor,
  ) {
    this.#ledger = ledger;
    this.#aggregates = aggregates;
    this.#past = past;
    this.#store = store;
    this.#pool = pool;
    this.#lines = createLinesLoader(pool);
  }

  @CommandHandler(topUpBalance)
  topUp(
    @Payload() input: z.output<typeof topUpBalance.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#book(message, input, 'BalanceToppedUp');
  }

  @CommandHandler(debitBalance)
  debit(
    @Payload() input: z.output<typeof debitBalance.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#book(message, input, 'BalanceDebited');
  }

  @UseGuards(SandboxOnly)
  @CommandHandler(setBalance)
  async setTotal(
    @Payload() { email, total_micros: totalMicros }: z.output<typeof setBalance.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = await findAccountByEmail(this.#pool, email);
    if (accountId === undefined) return notFoundReply();
    return toReply(
      await this.#ledger.move(message, accountId, (state) =>
        setTotal(state, { totalMicros, description: 'Balance set by the operator' }),
      ),
    );
  }

  @CommandHandler(reserveBalance)
  async reserve(
    @Payload() input: z.output<typeof reserveBalance.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { account_id: accountId, hold_id: holdId, description, reference } = input;
    const wanted = { holdId, amountMicros: input.amount_micros, isAtMost: input.at_most };
    return toReply(
      await this.#ledger.moveHold(message, { accountId, action: 'reserve', ...wanted }, (state) =>
        reserve(state, { ...wanted, description, reference }),
      ),
    );
  }

  @QueryHandler(checkBalance)
  async check(@Payload() input: z.output<typeof checkBalance.input>): Promise<BusReply> {
    const { account_id: accountId, amount_micros: amountMicros, at } = input;
    const stream = balanceStream(accountId);
    const { state, version } =
      at === undefined
        ? await this.#aggregates.load(stream, balance)
        : await this.#aggregates.loadAt(stream, balance, { time: at });
    const [newest] =
      version === 0 ? [] : await this.#store.readStream(stream, { fromVersion: version, toVersion: version });
    const refusal = refusalByBalance(state, amountMicros);
    return jsonReply({
      is_enough: refusal === null,
      retry_after_seconds: refusal?.retryAfterSeconds,
      available_micros: availableMicros(state),
      total_micros: state.totalMicros,
      event: newest ? explainedEventOf(newest) : null,
    } satisfies z.output<typeof checkBalance.output>);
  }

  @CommandHandler(captureBalance)
  async capture(
    @Payload() input: z.output<typeof captureBalance.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { account_id: accountId, hold_id: holdId, amount_micros: amountMicros, at_most: isAtMost } = input;
    const wanted = { holdId, amountMicros, isAtMost };
    return toReply(
      await this.#ledger.moveHold(
        message,
        { accountId, action: 'capture', ...wanted },
        (state, { wasReserved }) => capture(state, wanted, wasReserved),
      ),
    );
  }

  @CommandHandler(releaseBalance)
  async release(
    @Payload() { account_id: accountId, hold_id: holdId }: z.output<typeof releaseBalance.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return toReply(
      await this.#ledger.moveHold(
        message,
        { accountId, holdId, action: 'release' },
        (state, { wasReserved }) => release(state, holdId, wasReserved),
      ),
    );
  }

  @CommandHandler(refundBalance)
  async refund(
    @Payload() input: z.output<typeof refundBalance.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { account_id: accountId, hold_id: holdId, description, reference } = input;
    return toReply(
      await this.#ledger.moveHold(message, { accountId, holdId, action: 'refund' }, (state, past) =>
        refund(state, { holdId, description, reference }, past),
      ),
    );
  }

  @QueryHandler(listBalanceTransactions)
  async list(
    @Payload() { page, per_page: perPage, as_of: asOf }: OperationInput<typeof listBalanceTransactions>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const moment = await this.#past.momentOf(asOf);
    if (moment && 'code' in moment) return rejectedReply(moment);
    const past = { accountId, streamId: balanceStream(accountId), fold: ledgerLength };
    const upTo = moment ? ((await this.#past.load(moment, past))?.state ?? 0) : null;
    return textReply(await this.#lines({ accountId, page, perPage, upTo }));
  }

  async #book(
    message: MessageContext,
    input: z.output<typeof topUpBalance.input>,
    type: BookingType,
  ): Promise<BusReply> {
    const { account_id: accountId, amount_micros: amountMicros, description, reference } = input;
    const { state: owner } = await this.#aggregates.load(accountStream(accountId), account);
    if (!owner) return notFoundReply();
    const booked = await importedBooking(this.#store, balanceStream(accountId), type, reference);
    return toReply(
      await this.#ledger.move(message, accountId, (state) =>
        book(state, type, { amountMicros, description, reference }, booked),
      ),
    );
  }
}
