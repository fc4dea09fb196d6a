import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  explainCallPermission,
  getCallPermission,
  type OperationInput,
  type OperationSuccess,
  placeChatCall,
  placeVoiceCall,
  reject,
  requestCallPermission,
  subjectOf,
} from '@parley/contracts';
import type { BusClient, BusReply } from '@parley/message-bus';
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
import { explain } from './explain.ts';
import { renderLimits, renderPermission } from './render.ts';
import { CallPermissionRequests } from './requests.ts';
import { refusalOf } from './rules.ts';
import { CallPermissionSight } from './sight.ts';

@Controller()
export class CallPermissionController {
  readonly #requests: CallPermissionRequests;
  readonly #sight: CallPermissionSight;
  readonly #bus: BusClient;

  constructor(
    requests: CallPermissionRequests,
    sight: CallPermissionSight,
    @Inject(BUS_CLIENT) bus: BusClient,
  ) {
    this.#requests = requests;
    this.#sight = sight;
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
    const seen = await this.#sight.of(accountOf(message), input);
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
    const seen = await this.#sight.of(accountOf(message), input);
    if ('code' in seen) return rejectedReply(seen);
    const evidence = await this.#sight.evidence(seen);
    return jsonReply(explain(seen.contact, seen.circumstances, evidence));
  }

  /** Telephony places the call, once by the command's id, and says later how it went. */
  @CommandHandler(placeVoiceCall)
  async call(
    @Payload() input: OperationInput<typeof placeVoiceCall>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const seen = await this.#sight.of(accountOf(message), input);
    if ('code' in seen) return rejectedReply(seen);
    const { sender, contact, circumstances } = seen;
    const refusal = refusalOf(circumstances, 'call');
    if (refusal) return rejectedReply(refusal);
    const reply = await this.#bus.request({
      service: placeChatCall.service,
      subject: subjectOf(placeChatCall),
      payload: JSON.stringify({
        sender_id: sender.id,
        sender_phone: sender.phoneNumber,
        customer_phone: contact.phone,
        assistant_id: sender.assistantId,
      }),
      context: { ...message, expectedVersion: null },
    });
    if (reply.kind === 'rejected') return reply;
    const { reference } = placeChatCall.output.parse(JSON.parse(reply.body));
    return jsonReply({
      success: true,
      sender_id: sender.id,
      customer_phone: contact.phone,
      status: 'queued',
      reference,
    } satisfies OperationSuccess<typeof placeVoiceCall>);
  }
}
