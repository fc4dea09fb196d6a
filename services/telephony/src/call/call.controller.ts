import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  getCall,
  getChatCallAnswer,
  listCalls as list,
  makeCall,
  type OperationInput,
  placeCall,
  placeChatCall,
} from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  causeOf,
  itemReply,
  notFoundReply,
  Past,
  QueryHandler,
  READ_POOL,
  textReply,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { createCallReader, listCalls } from '../views/call-queries.ts';
import { callStream } from './call.ts';
import { Calls } from './calls.ts';
import { CallLookups } from './other-services.ts';
import { pastCall } from './past-call.ts';
import { wantedCall, wantedCampaignCall, wantedChatCall } from './wanted-call.ts';

const referenceOf = ({ id }: { readonly id: number }) => ({ reference: String(id) });

@Controller()
export class CallController {
  readonly #calls: Calls;
  readonly #lookups: CallLookups;
  readonly #past: Past;
  readonly #sql: SqlExecutor;
  readonly #read: ReturnType<typeof createCallReader>;

  constructor(calls: Calls, lookups: CallLookups, past: Past, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#calls = calls;
    this.#lookups = lookups;
    this.#past = past;
    this.#sql = sql;
    this.#read = createCallReader(sql);
  }

  @CommandHandler(makeCall)
  async make(
    @Payload() input: OperationInput<typeof makeCall>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const asked = {
      accountId: accountOf(message),
      assistantId: input.assistant_id,
      phoneNumber: input.phone_number,
      variables: input.variables ?? {},
      leadId: null,
      campaignId: null,
      correlationId: message.correlationId,
    };
    const want = () => wantedCall(this.#sql, this.#lookups, asked);
    const answer = (data: object) => ({ message: 'Call queued successfully', data });
    return toReply(await this.#calls.place(causeOf(message), want, answer));
  }

  /** A campaign calls a lead. */
  @CommandHandler(placeCall)
  async place(
    @Payload() input: z.output<typeof placeCall.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const asked = {
      accountId: accountOf(message),
      assistantId: input.assistant_id,
      phoneNumber: input.phone_number,
      variables: input.variables,
      leadId: input.lead_id,
      campaignId: input.campaign_id,
      correlationId: message.correlationId,
    };
    const want = () => wantedCampaignCall(this.#sql, this.#lookups, asked);
    return toReply(await this.#calls.place(causeOf(message), want, referenceOf));
  }

  @CommandHandler(placeChatCall)
  async placeChat(
    @Payload() input: z.output<typeof placeChatCall.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const asked = {
      accountId: accountOf(message),
      senderId: input.sender_id,
      senderPhone: input.sender_phone,
      customerPhone: input.customer_phone,
      assistantId: input.assistant_id,
      correlationId: message.correlationId,
    };
    const want = () => wantedChatCall(this.#lookups, asked);
    return toReply(await this.#calls.place(causeOf(message), want, referenceOf));
  }

  /** Messaging asks whether the command placed a call before: that stands, whatever the rules say by now. */
  @QueryHandler(getChatCallAnswer)
  async chatCallAnswer(@Ctx() { message }: BusContext): Promise<BusReply> {
    const known = await this.#calls.answerOf(causeOf(message));
    return known ? toReply(known) : notFoundReply();
  }

  @QueryHandler(getCall)
  async get(
    @Payload() { id, as_of: asOf }: OperationInput<typeof getCall>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    if (asOf !== undefined) {
      const past = { accountId, streamId: callStream(id), fold: pastCall };
      return this.#past.read(asOf, past, (item) => item);
    }
    return itemReply(await this.#read({ accountId, id }));
  }

  @QueryHandler(list)
  async list(
    @Payload() input: OperationInput<typeof list>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { assistant_id, direction = null, status = null, page, per_page: perPage } = input;
    const asked = { accountId: accountOf(message), assistantId: assistant_id ?? null, direction, status };
    return textReply(await listCalls(this.#sql, { ...asked, page, perPage }));
  }
}
