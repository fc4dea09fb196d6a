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
import { accountOf, CommandHandler, causeOf, jsonReply, QueryHandler, toReply } from '@parley/service-kit';
import { toCard } from './payment-method.ts';
import { PaymentMethods } from './payment-methods.ts';

@Controller()
export class PaymentMethodController {
  readonly #methods: PaymentMethods;

  constructor(methods: PaymentMethods) {
    this.#methods = methods;
  }

  @CommandHandler(setPaymentMethod)
  async set(
    @Payload() { token }: OperationInput<typeof setPaymentMethod>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return toReply(await this.#methods.set(accountOf(message), token, causeOf(message)));
  }

  @QueryHandler(getPaymentMethod)
  async get(@Ctx() { message }: BusContext): Promise<BusReply> {
    const { card } = await this.#methods.load(accountOf(message));
    return jsonReply({ data: card && toCard(card) });
  }

  @CommandHandler(removePaymentMethod)
  async remove(@Ctx() { message }: BusContext): Promise<BusReply> {
    return toReply(await this.#methods.remove(accountOf(message), causeOf(message)));
  }
}
