import { Inject, Injectable } from '@nestjs/common';
import { type Rejection, reject } from '@parley/contracts';
import {
  Aggregates,
  createIdAllocator,
  type ExecuteResult,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import { countryOf, isPhoneNumber, mainCountryOf } from '@parley/phone-numbers';
import type { Carrier, OfferedNumber } from '@parley/providers';
import { type Cause, CONFIG, READ_POOL } from '@parley/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { CARRIER } from '../../payments/providers.ts';
import { findNumberOfCommand, isTaken } from '../../views/number-queries.ts';
import { numberCategory, numberStream, numberTypes, phoneNumber } from '../number.ts';
import { type NumberPrices, priceOf } from '../prices.ts';
import { NumberWork } from './number-work.ts';
import { failedAnswer, openAnswer, purchaseAnswer } from './purchase-answer.ts';
import { requestPurchase } from './request-purchase.ts';

/** Requests to buy a number: checks, records, carries out and answers them. */
@Injectable()
export class PurchaseRequests {
  readonly #aggregates: Aggregates;
  readonly #sql: SqlExecutor;
  readonly #ids: IdAllocator;
  readonly #carrier: Carrier;
  readonly #methods: PaymentMethods;
  readonly #work: NumberWork;
  readonly #prices: NumberPrices;

  constructor(
    aggregates: Aggregates,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(CARRIER) carrier: Carrier,
    methods: PaymentMethods,
    work: NumberWork,
    @Inject(CONFIG) prices: NumberPrices,
  ) {
    this.#aggregates = aggregates;
    this.#sql = sql;
    this.#ids = createIdAllocator(sql, 'phone_number_ids');
    this.#carrier = carrier;
    this.#methods = methods;
    this.#work = work;
    this.#prices = prices;
  }

  async buy(wanted: string, accountId: number, cause: Cause): Promise<ExecuteResult> {
    const earlier = await this.#earlierAnswer(cause);
    if (earlier) return earlier;
    const checked = await this.#check(wanted, accountId);
    // The refusal may be due to the same request, which another copy has carried out meanwhile.
    if ('code' in checked)
      return (await this.#earlierAnswer(cause)) ?? { kind: 'rejected', rejection: checked };
    const id = await this.#ids.next();
    const { correlationId } = cause.metadata;
    const order = {
      id,
      purchaseId: uuidv7(),
      accountId,
      correlationId,
      command: cause.command,
      offer: checked,
    };
    const requested = await this.#aggregates.execute({
      streamId: numberStream(id),
      category: numberCategory,
      accountId,
      fold: phoneNumber,
      isNew: true,
      metadata: cause.metadata,
      command: null,
      decide: (state) => requestPurchase(state, order),
    });
    if (requested.kind === 'rejected')
      return (await this.#earlierAnswer(cause)) ?? { kind: 'rejected', rejection: reject('number_in_use') };
    const work = { number_id: id, account_id: accountId, correlation_id: correlationId, attempt: 0 };
    await this.#work.drive(work, cause.metadata);
    return this.#answer(id, accountId, cause);
  }

  /** Checks the request, in the specified order. */
  async #check(wanted: string, accountId: number): Promise<OfferedNumber | Rejection> {
    if (!isPhoneNumber(wanted)) return reject('number_unparsable');
    if (await isTaken(this.#sql, wanted)) return reject('number_in_use');
    const offer = await this.#findOffer(wanted, accountId);
    if ('code' in offer) return offer;
    return (await this.#methods.of(accountId)) ? offer : reject('no_payment_method');
  }

  /**
   * The number as the carrier offers it now. Carriers may list a number of a territory such as Jersey under its main
   * country.
   */
  async #findOffer(wanted: string, accountId: number): Promise<OfferedNumber | Rejection> {
    let isCertain = true;
    for (const country of new Set([countryOf(wanted), mainCountryOf(wanted)])) {
      const found = country ? await this.#searchIn(country, wanted.slice(1), accountId) : [];
      const offers = found.flatMap((result) => (result.kind === 'ok' ? result.value : []));
      const offer = offers.find(({ phoneNumber }) => phoneNumber === wanted);
      if (offer) return priceOf(this.#prices, offer) ? offer : reject('number_not_available');
      isCertain &&= found.every(({ kind }) => kind === 'ok');
    }
    return reject(isCertain ? 'number_not_available' : 'purchase_failed');
  }

  #searchIn(country: string, contains: string, accountId: number) {
    return Promise.all(
      numberTypes.map((type) => this.#carrier.search({ accountId, country, type, contains, limit: 5 })),
    );
  }

  /** The answer of a request that was made before; null for a new one. */
  async #earlierAnswer({ command }: Cause): Promise<ExecuteResult | null> {
    if (!command) return null;
    const answered = await this.#aggregates.answerOf(command);
    if (answered) return answered;
    const id = await findNumberOfCommand(this.#sql, command.commandId);
    const number = id === null ? null : await this.#work.load(id);
    return number && { kind: 'rejected', rejection: openAnswer(number, command.fingerprint) };
  }

  async #answer(id: number, accountId: number, { command, metadata }: Cause): Promise<ExecuteResult> {
    const answered = command && (await this.#aggregates.answerOf(command));
    // Not a repetition: this very request has carried it out.
    if (answered) return answered.kind === 'done' ? { ...answered, replayed: false } : answered;
    return this.#aggregates.execute({
      streamId: numberStream(id),
      category: numberCategory,
      accountId,
      fold: phoneNumber,
      metadata,
      command: null,
      decide(state) {
        if (state?.failure) return failedAnswer(state.failure);
        return state?.phase === 'owned'
          ? { events: [], reply: purchaseAnswer(state) }
          : reject('idempotency_in_progress');
      },
    });
  }
}
