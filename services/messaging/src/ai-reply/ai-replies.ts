import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { Places } from '@parley/batching';
import type { MessageEvent } from '@parley/contracts';
import type { Decision, EventMetadata, EventStore, SqlExecutor } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import { AccountBalance, BUS_CLIENT, CONFIG, EVENT_STORE, LOGGER, READ_POOL } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import type { MessagingConfig } from '../config.ts';
import { conversationStream } from '../conversation/conversation.ts';
import { Conversations } from '../conversation/conversations.ts';
import { areTooMany } from '../conversation/too-many-messages.ts';
import { partyOf } from '../message/draft-template.ts';
import type { Message, ReceivedMessage } from '../message/message.ts';
import { MessageLog } from '../message/message-log.ts';
import { recordNotAnswered } from '../message/not-answered.ts';
import { Outbox } from '../message/outbox.ts';
import {
  agesOfReplies,
  historyUpTo,
  isAnswered,
  isAnsweredByHand,
  isFollowed,
  isUnderWay,
} from '../views/conversation-history.ts';
import { Directory } from '../views/directory.ts';
import { type Asked, askWithLess } from './ask-with-less.ts';
import { lookUpAssistant } from './assistant-lookup.ts';
import { isOnSince } from './is-on-since.ts';
import { type Completion, createLanguageModel, type LanguageModel, maxQuestions } from './language-model.ts';
import { replyTimerId } from './reply-timer.ts';

/** `LanguageModel`. */
export const LANGUAGE_MODEL = Symbol('LanguageModel');

/** Names the one reply to a message; never changes, or it would be given again. */
const replyNamespace = '0f7a5a0e-3b5d-4a51-8a3c-6f1f0c2b9d11';
/** What a message on the chat platform may hold. */
const maxCharacters = 4_096;
/** A reply that has not begun by then would still be given when its timer begins it again. */
const turnTimeoutMs = 20_000;
/** Refusals that the next try would meet again; all others are about the moment. */
const finalCodes = ['insufficient_balance', 'model_refused', 'send_failed', 'too_many_replies'] as const;
const finalOf = (code: string) => finalCodes.find((final) => final === code);

/** What a contact wrote, and where in the log. */
interface Question {
  readonly message: ReceivedMessage;
  readonly position: number;
  readonly version: number;
}

const placeOf = ({ message, position }: Question) => ({
  conversationId: message.received.conversation_id,
  position,
});

const asReplier = (metadata: EventMetadata, commandId: string | null): EventMetadata => ({
  ...metadata,
  commandId,
  actor: { kind: 'system', id: 'ai-reply' },
});

/**
 * Replies of assistants to what contacts write: at most one for each message, whatever is delivered how often. Who writes
 * several in a row has one answer to all of them, to the last.
 */
@Injectable()
export class AiReplies {
  readonly #store: EventStore;
  readonly #directory: Directory;
  readonly #conversations: Conversations;
  readonly #log: MessageLog;
  readonly #outbox: Outbox;
  readonly #balance: AccountBalance;
  readonly #model: LanguageModel;
  readonly #bus: BusClient;
  readonly #sql: SqlExecutor;
  readonly #config: MessagingConfig;
  readonly #logger: Logger;
  /** By account: however many write to one, and however slow the model is, others have room. */
  readonly #places = new Places<number>({ max: maxQuestions, maxPerKey: maxQuestions / 2 });

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    directory: Directory,
    conversations: Conversations,
    log: MessageLog,
    outbox: Outbox,
    balance: AccountBalance,
    @Inject(LANGUAGE_MODEL) model: LanguageModel,
    @Inject(BUS_CLIENT) bus: BusClient,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(CONFIG) config: MessagingConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#conversations = conversations;
    this.#log = log;
    this.#outbox = outbox;
    this.#balance = balance;
    this.#model = model;
    this.#bus = bus;
    this.#sql = sql;
    this.#config = config;
    this.#logger = logger;
  }

  /** Returns at once; what fails is begun again by the message's timer. */
  begin(messageId: number, accountId: number, metadata: EventMetadata): void {
    this.#replyInTurn(messageId, accountId, metadata).catch((error: unknown) =>
      this.#logger.warn({ err: error, messageId }, 'no reply was given; it is tried again'),
    );
  }

  /**
   * Whether a reply is on its way, or none is to be given. What a person has written by hand may yet fail: then one is.
   */
  async isDone(messageId: number): Promise<boolean> {
    const question = await this.#question(messageId);
    if (!question || !(await this.#isOn(question))) return true;
    return isAnswered(this.#sql, placeOf(question));
  }

  /**
   * What is recorded of a message whose reply nobody waits for any more; `null` when none was to be given. One that is being
   * handed over by then shows itself what becomes of it.
   */
  async whenGivenUp(
    messageId: number,
  ): Promise<(Decision<MessageEvent> & { readonly version: number }) | null> {
    const question = await this.#wanted(messageId);
    if (!question || (await isUnderWay(this.#sql, placeOf(question)))) return null;
    return { ...recordNotAnswered(question.message, 'given_up'), version: question.version };
  }

  async #replyInTurn(messageId: number, accountId: number, metadata: EventMetadata): Promise<void> {
    const giveBack = await this.#places.take(accountId, AbortSignal.timeout(turnTimeoutMs));
    await this.#reply(messageId, accountId, metadata).finally(giveBack);
  }

  async #reply(messageId: number, accountId: number, metadata: EventMetadata): Promise<void> {
    const question = await this.#wantedNow(messageId);
    if (!question) return;
    const { received } = question.message;
    const from = await this.#directory.sender(accountId, received.sender_id);
    if (!from || from.assistantId === null) return;
    const { correlationId } = metadata;
    const assistant = await lookUpAssistant(this.#bus, accountId, from.assistantId, correlationId);
    if (!assistant) return;
    if (areTooMany(await agesOfReplies(this.#sql, received)))
      return this.#refused(messageId, accountId, metadata, 'too_many_replies');
    if (!(await this.#isAffordable(accountId, correlationId)))
      return this.#refused(messageId, accountId, metadata, 'insufficient_balance');
    const commandId = uuidv5(`reply:${messageId}`, replyNamespace);
    const completion = await this.#complete(placeOf(question), { ...assistant, idempotencyKey: commandId });
    // A person may have answered, or taken over, the contact written more, or it was given up, while the model was thinking.
    if (!(await this.#wantedNow(messageId))) return;
    if (completion.kind === 'refused')
      return this.#refused(messageId, accountId, metadata, 'model_refused', completion.reason);
    const body = [...completion.text].slice(0, maxCharacters).join('');
    const result = await this.#outbox.send(
      {
        accountId,
        sender: partyOf(from),
        contactPhone: received.contact_phone,
        contactName: null,
        author: 'assistant',
        kind: 'freeform',
        templateId: null,
        body,
        content: { type: 'text', body },
        priceMicros: this.#config.PRICE_AI_REPLY,
        description: `AI reply to ${received.contact_phone}`,
        inReplyTo: messageId,
      },
      {
        metadata: asReplier(metadata, commandId),
        command: { commandId, fingerprint: null },
      },
    );
    // What may have been taken is told of by its own status.
    if (result.kind === 'rejected' && result.rejection.details?.outcome !== 'unknown')
      await this.#refused(messageId, accountId, metadata, result.rejection.code);
  }

  /** `null` when it is no message of a contact, or it is on record that it is not answered. */
  async #question(messageId: number): Promise<Question | null> {
    // Until then nothing follows the receipt in the stream of such a message.
    const { state, position, version } = await this.#log.load(messageId);
    if (state?.direction !== 'inbound' || state.notAnswered !== null) return null;
    return { message: state, position, version };
  }

  /** `null` when no reply is to be given now: also when a person has answered by hand, as far as is known. */
  async #wanted(messageId: number): Promise<Question | null> {
    const question = await this.#question(messageId);
    if (!question) return null;
    const [isOn, isByHand] = await Promise.all([
      this.#isOn(question),
      isAnsweredByHand(this.#sql, placeOf(question)),
    ]);
    return isOn && !isByHand ? question : null;
  }

  /** The same, unless the contact has written more since: then it is left to the reply to that. */
  async #wantedNow(messageId: number): Promise<Question | null> {
    const question = await this.#wanted(messageId);
    return question && (await isFollowed(this.#sql, placeOf(question))) ? null : question;
  }

  /** What the model says when it has seen all that was said, also the reply to an earlier message that was just being sent. */
  async #complete(place: ReturnType<typeof placeOf>, asked: Omit<Asked, 'history'>): Promise<Completion> {
    const history = await historyUpTo(this.#sql, place);
    const completion = await askWithLess(this.#model, { ...asked, history });
    if (isDeepStrictEqual(history, await historyUpTo(this.#sql, place))) return completion;
    return this.#complete(place, { ...asked, idempotencyKey: `${asked.idempotencyKey}-again` });
  }

  /** The platform tells late at times: when the window for text has closed by then, it takes no reply. */
  async #isOn({ message: { received }, position }: Question): Promise<boolean> {
    const { conversation_id, sender_id: senderId, contact_phone: contactPhone } = received;
    const [history, { isFreeformOpen }] = await Promise.all([
      this.#store.readStream(conversationStream(conversation_id)),
      this.#conversations.standing({ senderId, contactPhone }),
    ]);
    return isFreeformOpen && isOnSince(history, position);
  }

  /** The model costs money as well: it is not asked for what could not be paid. */
  async #isAffordable(accountId: number, correlationId: string): Promise<boolean> {
    const price = this.#config.PRICE_AI_REPLY;
    return price === 0 || (await this.#balance.check(accountId, price, correlationId)).is_enough;
  }

  async #refused(
    messageId: number,
    accountId: number,
    metadata: EventMetadata,
    code: string,
    reason?: string,
  ): Promise<void> {
    // The model's settings are the operator's, and nobody else learns of its own reason.
    this.#logger[code === 'model_refused' ? 'warn' : 'info'](
      { messageId, code, reason },
      'a reply was not sent',
    );
    const why = finalOf(code);
    if (why === undefined) return;
    const cancelTimers = [replyTimerId(messageId)];
    const decide = (state: Message) => ({ ...recordNotAnswered(state, why), cancelTimers });
    await this.#log.change(messageId, accountId, asReplier(metadata, null), decide);
  }
}

export const createModel = (config: MessagingConfig): LanguageModel =>
  createLanguageModel({
    baseUrl: config.LLM_BASE_URL ?? `${config.SANDBOX_URL}/v1`,
    apiKey: config.LLM_API_KEY,
    model: config.LLM_MODEL,
    timeoutMs: config.LLM_TIMEOUT_MS,
  });
