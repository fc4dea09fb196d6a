import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { sendSms } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { accountOf, CommandHandler, causeOf, toReply } from '@parley/service-kit';
import type { z } from 'zod';
import { SmsOutbox } from './outbox.ts';

@Controller()
export class SmsController {
  readonly #outbox: SmsOutbox;

  constructor(outbox: SmsOutbox) {
    this.#outbox = outbox;
  }

  /** A campaign reaches out to a lead. */
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
    };
    return toReply(await this.#outbox.send(wanted, causeOf(message)));
  }
}
