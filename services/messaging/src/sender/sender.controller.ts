import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  connectSender as connecting,
  disconnectSender as disconnecting,
  getSenderOfNumber,
  getSipAccountOfSender,
  invalidField,
  listSenders,
  type OperationInput,
  reject,
  updateSender as updating,
} from '@parley/contracts';
import { Aggregates, createIdAllocator, type IdAllocator, type SqlExecutor } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { isPhoneNumber, spellingsOf } from '@parley/phone-numbers';
import type { Logger } from '@parley/process-kit';
import type { ChatPlatform } from '@parley/providers';
import {
  accountOf,
  CommandHandler,
  causeOf,
  createResourceCommands,
  itemsReply,
  jsonReply,
  LOGGER,
  notFoundReply,
  QueryHandler,
  READ_POOL,
  RejectionError,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { CHAT_PLATFORM } from '../platform/chat-platform.ts';
import { FirstReading } from '../sync/first-reading.ts';
import { findSenderByPhone } from '../views/sender-by-phone.ts';
import { createSenderLists } from '../views/sender-queries.ts';
import { Assistants } from './assistants.ts';
import { connectSender } from './connect-sender.ts';
import { disconnectSender } from './disconnect-sender.ts';
import { sender, senderCategory, senderStream } from './sender.ts';
import { updateSender } from './update-sender.ts';

const unknownNumber = invalidField('phone_number', 'The chat platform does not know the phone number.');

const senderCommands = (aggregates: Aggregates) =>
  createResourceCommands(aggregates, { category: senderCategory, streamOf: senderStream, fold: sender });

@Controller()
export class SenderController {
  readonly #aggregates: Aggregates;
  readonly #ids: IdAllocator;
  readonly #platform: ChatPlatform;
  readonly #assistants: Assistants;
  readonly #firstReading: FirstReading;
  readonly #run: ReturnType<typeof senderCommands>;
  readonly #list: ReturnType<typeof createSenderLists>;
  readonly #sql: SqlExecutor;
  readonly #logger: Logger;

  constructor(
    aggregates: Aggregates,
    @Inject(READ_POOL) pool: SqlExecutor,
    @Inject(CHAT_PLATFORM) platform: ChatPlatform,
    assistants: Assistants,
    firstReading: FirstReading,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#aggregates = aggregates;
    this.#run = senderCommands(aggregates);
    this.#ids = createIdAllocator(pool, 'sender_ids');
    this.#platform = platform;
    this.#assistants = assistants;
    this.#firstReading = firstReading;
    this.#list = createSenderLists(pool);
    this.#sql = pool;
    this.#logger = logger;
  }

  /** Telephony asks which sender the number of a call belongs to. */
  @QueryHandler(getSenderOfNumber)
  async ofNumber(
    @Payload() { phone_number, called_at: at }: z.output<typeof getSenderOfNumber.input>,
  ): Promise<BusReply> {
    return jsonReply({ sender: await findSenderByPhone(this.#sql, phone_number, { at }) });
  }

  /**
   * Telephony asks for the SIP credentials of a sender's call. They are not stored here, as the platform may change
   * them.
   */
  @QueryHandler(getSipAccountOfSender)
  async sipAccount(
    @Payload() { sender_id: id }: z.output<typeof getSipAccountOfSender.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { state, accountId } = await this.#aggregates.load(senderStream(id), sender);
    if (!state || accountId !== accountOf(message)) return notFoundReply();
    const found = await this.#platform.findSipAccount(state);
    if (found.kind !== 'ok') return rejectedReply(reject('unavailable', { message: found.message }));
    const { value } = found;
    return jsonReply({
      sip_account: value && { username: value.username, password: value.password.reveal() },
    } satisfies z.input<typeof getSipAccountOfSender.output>);
  }

  @CommandHandler(connecting)
  async connect(
    @Payload() input: OperationInput<typeof connecting>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const cause = causeOf(message);
    // A repetition is answered without the platform, which may be away.
    const known = cause.command && (await this.#aggregates.answerOf(cause.command));
    if (known) return toReply(known);
    const spellings = spellingsOf(input.phone_number);
    if (!spellings.some(isPhoneNumber)) return rejectedReply(reject('invalid_phone'));
    const { assistant_id: assistantId = null } = input;
    await this.#checkAssistant(assistantId, message);
    const found = await this.#platform.findNumber(spellings);
    if (found.kind === 'rejected' || (found.kind === 'ok' && !found.value))
      return rejectedReply(unknownNumber);
    if (found.kind !== 'ok' || !found.value) {
      // The operator may have to act: the token lacks a permission, or the portfolio is the wrong one.
      this.#logger.warn(found, 'the chat platform could not be asked for a number');
      return rejectedReply(reject('unavailable'));
    }
    const number = found.value;
    const subscribed = await this.#platform.subscribe(number);
    if (subscribed.kind !== 'ok') {
      this.#logger.warn(subscribed, 'the chat platform does not tell us of a number’s account');
      return rejectedReply(reject('unavailable'));
    }
    const id = await this.#ids.next();
    const accountId = accountOf(message);
    const command = { id, accountId, displayName: input.display_name, assistantId, number };
    const result = await this.#aggregates.execute({
      ...cause,
      streamId: senderStream(id),
      category: senderCategory,
      accountId,
      fold: sender,
      isNew: true,
      decide: (state) => connectSender(state, command),
    });
    if (result.kind === 'done' && !result.replayed)
      await this.#firstReading.of({ senderId: id, accountId }, cause.metadata);
    return toReply(result);
  }

  @CommandHandler(updating)
  async update(
    @Payload() { id, display_name, assistant_id }: OperationInput<typeof updating>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const cause = causeOf(message);
    // A repetition gets its first answer, even when the assistant has been deleted since.
    const known = cause.command && (await this.#aggregates.answerOf(cause.command));
    if (known) return toReply(known);
    const accountId = accountOf(message);
    const { state, accountId: owner } = await this.#aggregates.load(senderStream(id), sender);
    if (!state || owner !== accountId) return rejectedReply(reject('not_found'));
    await this.#checkAssistant(assistant_id, message);
    const command = { displayName: display_name, assistantId: assistant_id };
    return this.#run(id, message, (newest) => updateSender(newest, command));
  }

  @CommandHandler(disconnecting)
  disconnect(
    @Payload() { id }: OperationInput<typeof disconnecting>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#run(id, message, disconnectSender);
  }

  @QueryHandler(listSenders)
  async list(
    @Payload() { status }: OperationInput<typeof listSenders>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const wanted = status === 'all' ? null : status;
    return itemsReply(await this.#list({ accountId: accountOf(message), status: wanted }));
  }

  async #checkAssistant(
    assistantId: number | null | undefined,
    message: BusContext['message'],
  ): Promise<void> {
    if (typeof assistantId !== 'number' || (await this.#assistants.exists(assistantId, message))) return;
    throw new RejectionError(invalidField('assistant_id', 'The selected assistant id is invalid.'));
  }
}
