import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  getPaymentMethod,
  type OperationInput,
  removePaymentMethod,
  setPaymentMethod,
} from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  causeOf,
  Past,
  QueryHandler,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import { type PaymentMethod, paymentMethod, paymentMethodStream, toCard } from './payment-method.ts';
import { PaymentMethods } from './payment-methods.ts';

@Controller()
export class PaymentMethodController {
  readonly #methods: PaymentMethods;
  readonly #past: Past;

  constructor(methods: PaymentMethods, past: Past) {
    this.#methods = methods;
    this.#past = past;
  }

  @CommandHandler(setPaymentMethod)
  async set(
    @Payload() { token }: OperationInput<typeof setPaymentMethod>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { expectedVersion } = message;
    return toReply(await this.#methods.set(accountOf(message), token, causeOf(message), expectedVersion));
  }

  @QueryHandler(getPaymentMethod)
  async get(
    @Payload() { as_of: asOf }: OperationInput<typeof getPaymentMethod>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    if (asOf === undefined) return shown(await this.#methods.load(accountId));
    const moment = await this.#past.momentOf(asOf);
    if ('code' in moment) return rejectedReply(moment);
    const past = { accountId, streamId: paymentMethodStream(accountId), fold: paymentMethod };
    return shown(await this.#past.load(moment, past));
  }

  @CommandHandler(removePaymentMethod)
  async remove(@Ctx() { message }: BusContext): Promise<BusReply> {
    const { expectedVersion } = message;
    return toReply(await this.#methods.remove(accountOf(message), causeOf(message), expectedVersion));
  }
}

/** The card on file, or null. Where there never was one the version is 0, as a PUT with `If-Match` expects. */
function shown(loaded: { readonly state: PaymentMethod; readonly version: number } | null): BusReply {
  const card = loaded?.state.card;
  return {
    kind: 'ok',
    body: JSON.stringify({ data: card ? toCard(card) : null }),
    version: loaded?.version ?? 0,
  };
}
