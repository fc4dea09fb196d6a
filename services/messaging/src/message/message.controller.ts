import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  explainSend,
  findSentMessage,
  getSessionStatus,
  type OperationInput,
  type OperationSuccess,
  type Rejection,
  reject,
  sendChatAppTemplate,
  sendFreeform,
} from '@parley/contracts';
import type { ExecuteResult } from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { isPhoneNumber } from '@parley/phone-numbers';
import {
  accountOf,
  CONFIG,
  CommandHandler,
  causeOf,
  jsonReply,
  notFoundReply,
  Past,
  QueryHandler,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import type { MessagingConfig } from '../config.ts';
import { Conversations } from '../conversation/conversations.ts';
import { PastConversations } from '../conversation/past-conversations.ts';
import { DirectoryAt } from '../views/directory-at.ts';
import type { Draft } from './draft/draft.ts';
import { draftFreeform } from './draft/draft-freeform.ts';
import { draftTemplate } from './draft/draft-template.ts';
import { explainTemplateSend } from './draft/explain-send.ts';
import { variablesOf } from './draft/query-variables.ts';
import { SendPreview } from './draft/send-preview.ts';
import { Outbox } from './outgoing/outbox.ts';

@Controller()
export class MessageController {
  readonly #directory: DirectoryAt;
  readonly #conversations: Conversations;
  readonly #outbox: Outbox;
  readonly #past: Past;
  readonly #pastConversations: PastConversations;
  readonly #preview: SendPreview;
  readonly #config: MessagingConfig;

  constructor(
    directory: DirectoryAt,
    conversations: Conversations,
    outbox: Outbox,
    past: Past,
    pastConversations: PastConversations,
    preview: SendPreview,
    @Inject(CONFIG) config: MessagingConfig,
  ) {
    this.#directory = directory;
    this.#conversations = conversations;
    this.#outbox = outbox;
    this.#past = past;
    this.#pastConversations = pastConversations;
    this.#preview = preview;
    this.#config = config;
  }

  @CommandHandler(sendChatAppTemplate)
  async sendTemplate(
    @Payload() input: OperationInput<typeof sendChatAppTemplate>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const [sender, template] = await Promise.all([
      this.#directory.sender(accountId, input.sender_id),
      this.#directory.template(accountId, input.sender_id, input.template_id),
    ]);
    const request = {
      accountId,
      sender,
      template,
      recipientPhone: input.recipient_phone,
      recipientName: input.recipient_name ?? null,
      variables: input.variables ?? {},
    };
    const draft = draftTemplate(request, this.#config);
    return this.#send((await this.#endlessness(draft, message)) ?? draft, accountId, message);
  }

  @QueryHandler(explainSend)
  async explain(
    @Payload() input: OperationInput<typeof explainSend>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const variables = variablesOf(input.variables);
    if ('code' in variables) return rejectedReply(variables);
    const past = await this.#past.momentOf(input.as_of);
    if (past && 'code' in past) return rejectedReply(past);
    const send = await this.#preview.of(input, variables.values, message, past);
    return 'code' in send ? rejectedReply(send) : jsonReply(explainTemplateSend(send));
  }

  @CommandHandler(sendFreeform)
  async sendFreeform(
    @Payload() input: OperationInput<typeof sendFreeform>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const { sender_id: senderId, recipient_phone: recipientPhone, message: text } = input;
    const sender = await this.#directory.sender(accountId, senderId);
    const parties = { senderId, contactPhone: recipientPhone };
    const { conversation, isFreeformOpen } = await this.#conversations.standing(parties);
    const isKnown = conversation !== null;
    const request = { accountId, sender, recipientPhone, isKnown, text, isFreeformOpen };
    return this.#send(draftFreeform(request, this.#config), accountId, message);
  }

  @QueryHandler(getSessionStatus)
  async getSessionStatus(
    @Payload() {
      sender_id: senderId,
      recipient_phone: contactPhone,
      as_of: asOf,
    }: OperationInput<typeof getSessionStatus>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const past = await this.#past.momentOf(asOf);
    if (past && 'code' in past) return rejectedReply(past);
    if (!(await this.#directory.sender(accountId, senderId, past)))
      return rejectedReply(reject('sender_not_found'));
    const standing = past
      ? await this.#pastConversations.standing({ accountId, senderId, contactPhone }, past)
      : await this.#conversations.standing({ senderId, contactPhone });
    if (!standing.conversation && !isPhoneNumber(contactPhone)) return rejectedReply(reject('invalid_phone'));
    return jsonReply({
      success: true,
      sender_id: senderId,
      recipient_phone: contactPhone,
      conversation_uuid: standing.conversation?.uuid ?? null,
      session_open: standing.isSessionOpen,
      session_expires_at: standing.sessionExpiresAt?.toISOString() ?? null,
      freeform_open: standing.isFreeformOpen,
      freeform_expires_at: standing.freeformExpiresAt?.toISOString() ?? null,
    } satisfies OperationSuccess<typeof getSessionStatus>);
  }

  /** A campaign asks whether its message, whose outcome was unknown, was sent after all. */
  @QueryHandler(findSentMessage)
  async findSent(
    @Payload() { command_id: commandId }: z.output<typeof findSentMessage.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const id = await this.#outbox.sentFor(commandId, accountOf(message));
    return id === null ? notFoundReply() : jsonReply({ reference: String(id) });
  }

  /**
   * Refuses a send of an automation to a contact that seems to be a machine: each answer would start the next run, for
   * ever.
   */
  async #endlessness(draft: Draft | Rejection, { actor }: MessageContext): Promise<Rejection | null> {
    if ('code' in draft || actor.kind !== 'automation') return null;
    const parties = { senderId: draft.sender.id, contactPhone: draft.contactPhone };
    if (!(await this.#conversations.isEndless(parties))) return null;
    const message =
      'The contact has had so many templates, and written as often, that a machine may be answering the runs.';
    return reject('messaging_limit_reached', { message });
  }

  async #send(draft: Draft | Rejection, accountId: number, message: MessageContext): Promise<BusReply> {
    const cause = causeOf(message);
    const result: ExecuteResult =
      'code' in draft
        ? await this.#outbox.refuse(draft, accountId, cause)
        : await this.#outbox.send(draft, cause);
    return toReply(result);
  }
}
