import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type OperationInput, type OperationSuccess, reject, searchPhoneNumbers } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { formatPhoneNumber } from '@parley/phone-numbers';
import type { Carrier, OfferedNumber } from '@parley/providers';
import { accountOf, CONFIG, jsonReply, QueryHandler, READ_POOL, rejectedReply } from '@parley/service-kit';
import { CARRIER } from '../payments/providers.ts';
import { takenAmong } from '../views/number-queries.ts';
import { numberTypes } from './number.ts';
import { type MonthlyPrice, type NumberPrices, priceOf, shownPrice } from './prices.ts';

@Controller()
export class NumberSearchController {
  readonly #sql: SqlExecutor;
  readonly #carrier: Carrier;
  readonly #prices: NumberPrices;

  constructor(
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(CARRIER) carrier: Carrier,
    @Inject(CONFIG) prices: NumberPrices,
  ) {
    this.#sql = sql;
    this.#carrier = carrier;
    this.#prices = prices;
  }

  @QueryHandler(searchPhoneNumbers)
  async search(
    @Payload() {
      country_code: country,
      contains = '',
      type,
      limit,
    }: OperationInput<typeof searchPhoneNumbers>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const types = type === undefined ? numberTypes : [type];
    const found = await Promise.all(
      types.map((wanted) => this.#carrier.search({ accountId, country, type: wanted, contains, limit })),
    );
    // A failed search for one type does not hide the results of the others.
    const offers = found.flatMap((result) => (result.kind === 'ok' ? result.value : []));
    if (!found.some(({ kind }) => kind === 'ok')) return rejectedReply(reject('unavailable'));
    const taken = await takenAmong(
      this.#sql,
      offers.map(({ phoneNumber }) => phoneNumber),
    );
    // The carrier may list a number under several types.
    const byNumber = Map.groupBy(offers, ({ phoneNumber }) => phoneNumber);
    const priced = [...byNumber.values()].flatMap(([offer]) => {
      if (!offer || taken.has(offer.phoneNumber)) return [];
      const price = priceOf(this.#prices, offer);
      return price ? [toResult(offer, price)] : [];
    });
    return jsonReply({ data: priced.slice(0, limit) });
  }
}

const toResult = (
  { phoneNumber, country, type, smsCapable, voiceCapable, addressRequirements }: OfferedNumber,
  price: MonthlyPrice,
): OperationSuccess<typeof searchPhoneNumbers>['data'][number] => ({
  phone_number: phoneNumber,
  phone_number_formatted: formatPhoneNumber(phoneNumber),
  country_code: country,
  type,
  ...shownPrice(price),
  sms_capable: smsCapable,
  voice_capable: voiceCapable,
  address_requirements: addressRequirements,
});
