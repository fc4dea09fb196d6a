import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { findSentSms, sendSms } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  causeOf,
  jsonReply,
  notFoundReply,
  QueryHandler,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { SmsOutbox } from './outbox.ts';

@Controller()
export class SmsController {
  readonly #outbox: SmsOutbox;

  constructor(outbox: SmsOutbox) {
    this.#outbox = outbox;
  }

  /** A campaign writes to a lead. */
  @CommandHandler(sendSms)
  async send(
    @Payload() input: z.output<typeof sendSms.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const wanted = {
      accountId: accountOf(message),
      customerPhone: input.phone_number,
      body: input.body,
      leadId: input.lead_id,
      campaignId: input.campaign_id,
      notAfter: input.not_after ?? null,
    };
    return toReply(await this.#outbox.send(wanted, causeOf(message)));
  }

  /** A campaign asks whether its SMS, whose outcome was unknown, was sent after all. */
  @QueryHandler(findSentSms)
  async findSent(
    @Payload() { command_id: commandId }: z.output<typeof findSentSms.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const id = await this.#outbox.sentFor(commandId, accountOf(message));
    return id === null ? notFoundReply() : jsonReply({ reference: String(id) });
  }
}
