import { Inject, Injectable } from '@nestjs/common';
import { Aggregates, type EventMetadata, type SqlExecutor } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import { BUS_CLIENT, CONFIG, LOGGER, READ_POOL } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import type { MessagingConfig } from '../config.ts';
import { conversation, conversationStream } from '../conversation/conversation.ts';
import { partyOf } from '../message/draft-template.ts';
import type { ReceivedMessage } from '../message/message.ts';
import { MessageLog } from '../message/message-log.ts';
import { Outbox } from '../message/outbox.ts';
import { messagesTable } from '../views/conversations-view.ts';
import { Directory } from '../views/directory.ts';
import { lookUpAssistant } from './assistant-lookup.ts';
import { createLanguageModel, type LanguageModel } from './language-model.ts';
import { type HistoryMessage, promptFor } from './prompt.ts';

/** `LanguageModel`. */
export const LANGUAGE_MODEL = Symbol('LanguageModel');

/** Names the one reply to a message; never changes, or it would be given again. */
const replyNamespace = '0f7a5a0e-3b5d-4a51-8a3c-6f1f0c2b9d11';
/** So much of the conversation the model is shown. */
const historyLength = 30;
/** What a message on the chat platform may hold. */
const maxCharacters = 4_096;

/** Replies of assistants to what contacts write: one for each message, whatever is delivered how often. */
@Injectable()
export class AiReplies {
  readonly #aggregates: Aggregates;
  readonly #directory: Directory;
  readonly #log: MessageLog;
  readonly #outbox: Outbox;
  readonly #model: LanguageModel;
  readonly #bus: BusClient;
  readonly #sql: SqlExecutor;
  readonly #config: MessagingConfig;
  readonly #logger: Logger;

  constructor(
    aggregates: Aggregates,
    directory: Directory,
    log: MessageLog,
    outbox: Outbox,
    @Inject(LANGUAGE_MODEL) model: LanguageModel,
    @Inject(BUS_CLIENT) bus: BusClient,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(CONFIG) config: MessagingConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#aggregates = aggregates;
    this.#directory = directory;
    this.#log = log;
    this.#outbox = outbox;
    this.#model = model;
    this.#bus = bus;
    this.#sql = sql;
    this.#config = config;
    this.#logger = logger;
  }

  /** Returns at once; what fails is begun again by the message's timer. */
  begin(messageId: number, accountId: number, metadata: EventMetadata): void {
    this.#reply(messageId, accountId, metadata).catch((error: unknown) =>
      this.#logger.warn({ err: error, messageId }, 'no reply was given; it is tried again'),
    );
  }

  /** Whether a reply is on its way, or none is to be given. */
  async isDone(messageId: number): Promise<boolean> {
    const { state } = await this.#log.load(messageId);
    if (state?.direction !== 'inbound') return true;
    const { rows } = await this.#sql.query({
      name: 'reply-to',
      text: `select from ${messagesTable} where conversation_id = $1 and in_reply_to = $2 and status <> 'failed'`,
      values: [state.received.conversation_id, messageId],
    });
    return rows.length > 0;
  }

  async #reply(messageId: number, accountId: number, metadata: EventMetadata): Promise<void> {
    const { state } = await this.#log.load(messageId);
    if (state?.direction !== 'inbound') return;
    const { received } = state;
    const from = await this.#directory.sender(accountId, received.sender_id);
    if (!from || from.assistantId === null || !(await this.#isAiEnabled(received))) return;
    const { correlationId } = metadata;
    const assistant = await lookUpAssistant(this.#bus, accountId, from.assistantId, correlationId);
    if (!assistant) return;
    const commandId = uuidv5(`reply:${messageId}`, replyNamespace);
    const turns = promptFor(assistant.systemPrompt, await this.#history(received), messageId);
    const { temperature } = assistant;
    const reply = await this.#model.complete({ turns, temperature, idempotencyKey: commandId });
    // A person may have taken over while the model was thinking.
    if (!(await this.#isAiEnabled(received))) return;
    const body = [...reply].slice(0, maxCharacters).join('');
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
        metadata: { ...metadata, commandId, actor: { kind: 'system', id: 'ai-reply' } },
        command: { commandId, fingerprint: null },
      },
    );
    if (result.kind === 'rejected')
      this.#logger.info({ messageId, code: result.rejection.code }, 'a reply was not sent');
  }

  async #isAiEnabled({ conversation_id: id }: ReceivedMessage['received']): Promise<boolean> {
    const { state } = await this.#aggregates.load(conversationStream(id), conversation);
    return state?.isAiEnabled === true;
  }

  async #history({ conversation_id }: ReceivedMessage['received']): Promise<readonly HistoryMessage[]> {
    const { rows } = await this.#sql.query<HistoryMessage>({
      name: 'conversation-history',
      text: `select id, direction, body as text from ${messagesTable}
             where conversation_id = $1 and status <> 'failed' order by position desc limit $2`,
      values: [conversation_id, historyLength],
    });
    return rows.toReversed();
  }
}

export const createModel = (config: MessagingConfig): LanguageModel =>
  createLanguageModel({
    baseUrl: config.LLM_BASE_URL ?? `${config.SANDBOX_URL}/v1`,
    apiKey: config.LLM_API_KEY,
    model: config.LLM_MODEL,
    timeoutMs: config.LLM_TIMEOUT_MS,
  });
