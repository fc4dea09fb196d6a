import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  explainCallPermission,
  getCallPermission,
  getChatCallAnswer,
  type InternalMessage,
  type OperationInput,
  type OperationSuccess,
  placeChatCall,
  placeVoiceCall,
  type Rejection,
  reject,
  requestCallPermission,
  subjectOf,
} from '@parley/contracts';
import type { BusClient, BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  BUS_CLIENT,
  CommandHandler,
  causeOf,
  jsonReply,
  QueryHandler,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import { CallPermissionReader } from './call-permission-reader.ts';
import { explain } from './explain.ts';
import { renderLimits, renderPermission } from './render.ts';
import { CallPermissionRequests } from './requests.ts';
import { refusalOf } from './rules.ts';

type WantedCall = OperationInput<typeof placeVoiceCall>;

@Controller()
export class CallPermissionController {
  readonly #requests: CallPermissionRequests;
  readonly #reader: CallPermissionReader;
  readonly #bus: BusClient;

  constructor(
    requests: CallPermissionRequests,
    reader: CallPermissionReader,
    @Inject(BUS_CLIENT) bus: BusClient,
  ) {
    this.#requests = requests;
    this.#reader = reader;
    this.#bus = bus;
  }

  @CommandHandler(requestCallPermission)
  async request(
    @Payload() input: OperationInput<typeof requestCallPermission>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { command, metadata } = causeOf(message);
    if (!command) return rejectedReply(reject('malformed'));
    return toReply(await this.#requests.ask(accountOf(message), input, { command, metadata }));
  }

  @QueryHandler(getCallPermission)
  async get(
    @Payload() input: OperationInput<typeof getCallPermission>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const seen = await this.#reader.of(accountOf(message), input);
    if ('code' in seen) return rejectedReply(seen);
    const { contact, conversationId, circumstances } = seen;
    return jsonReply({
      ...renderPermission(contact, conversationId, circumstances),
      ...renderLimits(circumstances),
    } satisfies OperationSuccess<typeof getCallPermission>);
  }

  @QueryHandler(explainCallPermission)
  async explain(
    @Payload() input: OperationInput<typeof explainCallPermission>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const seen = await this.#reader.of(accountOf(message), input);
    if ('code' in seen) return rejectedReply(seen);
    const evidence = await this.#reader.evidence(seen);
    return jsonReply(explain(seen.contact, seen.circumstances, evidence));
  }

  /** Checks the rules, and has telephony place the call: once for the command's id. Events tell later how it went. */
  @CommandHandler(placeVoiceCall)
  async call(@Payload() input: WantedCall, @Ctx() { message }: BusContext): Promise<BusReply> {
    const seen = await this.#reader.of(accountOf(message), input);
    if ('code' in seen) return this.#answerBefore(seen, input, message);
    const { sender, circumstances } = seen;
    const refusal = refusalOf(circumstances, 'call');
    if (refusal) return this.#answerBefore(refusal, input, message);
    const wanted = {
      sender_id: sender.id,
      sender_phone: sender.phoneNumber,
      customer_phone: input.recipient_phone,
      assistant_id: sender.assistantId,
    };
    return placed(input, await this.#askTelephony(placeChatCall, wanted, message));
  }

  /**
   * Answers a refused command: with the call's answer if it was placed before, as the rules of now refuse new calls
   * only.
   */
  async #answerBefore(refusal: Rejection, input: WantedCall, message: MessageContext): Promise<BusReply> {
    const reply = await this.#askTelephony(getChatCallAnswer, {}, message);
    const isNew = reply.kind === 'rejected' && reply.rejection.code === 'not_found';
    return isNew ? rejectedReply(refusal) : placed(input, reply);
  }

  #askTelephony(to: InternalMessage, payload: object, message: MessageContext): Promise<BusReply> {
    return this.#bus.request({
      service: to.service,
      subject: subjectOf(to),
      payload: JSON.stringify(payload),
      context: { ...message, expectedVersion: null },
    });
  }
}

/** Telephony's reply with the body of this operation; all else of the reply stays. */
function placed({ sender_id, recipient_phone }: WantedCall, reply: BusReply): BusReply {
  if (reply.kind === 'rejected') return reply;
  const { reference } = placeChatCall.output.parse(JSON.parse(reply.body));
  const body: OperationSuccess<typeof placeVoiceCall> = {
    success: true,
    sender_id,
    customer_phone: recipient_phone,
    status: 'queued',
    reference,
  };
  return { ...reply, body: JSON.stringify(body) };
}
