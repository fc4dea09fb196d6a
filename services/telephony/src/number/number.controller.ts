import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  getPhoneNumber,
  listAssignablePhoneNumbers,
  listPhoneNumbers,
  type OperationInput,
  purchasePhoneNumber,
  releasePhoneNumber,
  updatePhoneNumber,
} from '@parley/contracts';
import { Aggregates, type SqlExecutor } from '@parley/event-store';
import type { BusClient, BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  BUS_CLIENT,
  CommandHandler,
  causeOf,
  createResourceCommands,
  jsonReply,
  notFoundReply,
  QueryHandler,
  READ_POOL,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { findNumber, listAssignable, listOwnNumbers } from '../views/number-queries.ts';
import { type Assistants, createAssistants } from './assistants.ts';
import { numberCategory, numberStream, phoneNumber } from './number.ts';
import { PurchaseRequests } from './purchase/purchase-requests.ts';
import { requestRelease } from './release.ts';
import { renameNumber } from './rename.ts';

const numberCommands = (aggregates: Aggregates) =>
  createResourceCommands(aggregates, { category: numberCategory, streamOf: numberStream, fold: phoneNumber });

@Controller()
export class NumberController {
  readonly #sql: SqlExecutor;
  readonly #requests: PurchaseRequests;
  readonly #assistants: Assistants;
  readonly #run: ReturnType<typeof numberCommands>;

  constructor(
    aggregates: Aggregates,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(BUS_CLIENT) bus: BusClient,
    requests: PurchaseRequests,
  ) {
    this.#sql = sql;
    this.#requests = requests;
    this.#assistants = createAssistants(bus);
    this.#run = numberCommands(aggregates);
  }

  @CommandHandler(purchasePhoneNumber)
  async purchase(
    @Payload() input: OperationInput<typeof purchasePhoneNumber>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return toReply(await this.#requests.buy(input.phone_number, accountOf(message), causeOf(message)));
  }

  @CommandHandler(updatePhoneNumber)
  update(
    @Payload() { id, nickname }: OperationInput<typeof updatePhoneNumber>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#run(id, message, (state) => renameNumber(state, nickname));
  }

  @CommandHandler(releasePhoneNumber)
  async release(
    @Payload() { id }: OperationInput<typeof releasePhoneNumber>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const owner = { accountId: accountOf(message), correlationId: message.correlationId };
    const reply = await this.#run(id, message, (state) => requestRelease(state, 'customer', owner));
    if (reply.kind === 'ok') await this.#assistants.forgetNumber(message, id);
    return reply;
  }

  @QueryHandler(listPhoneNumbers)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return jsonReply(await listOwnNumbers(this.#sql, accountOf(message)));
  }

  @QueryHandler(listAssignablePhoneNumbers)
  async listAssignable(
    @Payload() { type }: OperationInput<typeof listAssignablePhoneNumbers>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const assignments = await this.#assistants.assignments(message);
    const assigned = new Set(assignments.map(({ phone_number_id }) => phone_number_id));
    const numbers = await listAssignable(this.#sql, accountOf(message), assigned);
    return jsonReply(type === 'inbound' ? numbers.filter(({ is_available }) => is_available) : numbers);
  }

  @QueryHandler(getPhoneNumber)
  async get(
    @Payload() { phone_number_id: id }: z.output<typeof getPhoneNumber.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const found = await findNumber(this.#sql, { accountId: accountOf(message), id });
    return found ? jsonReply(found) : notFoundReply();
  }
}
