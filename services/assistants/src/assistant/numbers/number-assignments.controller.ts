import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { forgetPhoneNumber, listNumberAssignments } from '@parley/contracts';
import { Aggregates, type SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { accountOf, CommandHandler, causeOf, jsonReply, QueryHandler, READ_POOL } from '@parley/service-kit';
import type { z } from 'zod';
import { numberAssignments } from '../../views/assistants/number-assignments.ts';
import { forgetNumber } from './forget-number.ts';

/** Answers what telephony asks about the numbers that it keeps. */
@Controller()
export class NumberAssignmentsController {
  readonly #aggregates: Aggregates;
  readonly #sql: SqlExecutor;

  constructor(aggregates: Aggregates, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#sql = sql;
  }

  @QueryHandler(listNumberAssignments)
  async list(
    @Payload() { type }: z.output<typeof listNumberAssignments.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return jsonReply({ data: await numberAssignments(this.#sql, accountOf(message), type) });
  }

  @CommandHandler(forgetPhoneNumber)
  async forget(
    @Payload() { phone_number_id: phoneNumberId }: z.output<typeof forgetPhoneNumber.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const parts = { aggregates: this.#aggregates, sql: this.#sql };
    const gone = { accountId: accountOf(message), phoneNumberId };
    return jsonReply({ assistants: await forgetNumber(parts, gone, causeOf(message).metadata) });
  }
}
