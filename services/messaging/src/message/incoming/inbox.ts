import { Inject, Injectable } from '@nestjs/common';
import type { ChatContactEvent, ChatEvent } from '@parley/contracts';
import {
  createIdAllocator,
  type EventStore,
  foldOnto,
  type IdAllocator,
  nothingYet,
  type SqlExecutor,
} from '@parley/event-store';
import { EVENT_STORE, READ_POOL } from '@parley/service-kit';
import { AiReplies } from '../../ai-reply/ai-replies.ts';
import type { ChatEventCause, ChatEventHandler } from '../../callbacks/chat-event-handler.ts';
import { newsOf } from '../../callbacks/news-of.ts';
import { Conversations, type Parties } from '../../conversation/conversations.ts';
import type { KnownSender } from '../../views/sender-queries.ts';
import { idOfReference, type Message, message, messageStream, type StartedSend } from '../message.ts';
import { MessageLog } from '../message-log.ts';
import { applyStatus } from './apply-status.ts';
import { isAnswerable, receiveMessage } from './receive-message.ts';
import { referencesOf } from './references.ts';
import { recordSentByHand, type SentByHand, sendByHand } from './sent-by-hand.ts';

type Received = Extract<ChatEvent, { readonly type: 'message_received' }>;
type StatusChanged = Extract<ChatEvent, { readonly type: 'message_status_changed' }>;

/**
 * Records what the chat platform tells about messages: each event is effective once, however often and in whatever
 * order it is told.
 */
@Injectable()
export class Inbox implements ChatEventHandler {
  readonly name = 'messages';
  readonly #log: MessageLog;
  readonly #conversations: Conversations;
  readonly #replies: AiReplies;
  readonly #store: EventStore;
  readonly #messageIds: IdAllocator;
  readonly #chatappMessageIds: IdAllocator;

  constructor(
    log: MessageLog,
    conversations: Conversations,
    replies: AiReplies,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#log = log;
    this.#conversations = conversations;
    this.#replies = replies;
    this.#store = store;
    this.#messageIds = createIdAllocator(sql, 'message_ids');
    this.#chatappMessageIds = createIdAllocator(sql, 'chatapp_message_ids');
  }

  /** Resolves when the event is on record; an assistant's reply comes later. */
  async handle(event: ChatContactEvent, sender: KnownSender, cause: ChatEventCause): Promise<void> {
    if (event.type === 'message_received') await this.#messageReceived(event, sender, cause);
    if (event.type === 'message_sent_by_hand') await this.#sentByHand(event, sender, cause);
    if (event.type === 'message_status_changed') await this.#statusChanged(event, sender, cause);
  }

  async #messageReceived(event: Received, sender: KnownSender, { metadata, command }: ChatEventCause) {
    const { id: senderId, accountId, assistantId } = sender;
    const parties = { accountId, senderId, contactPhone: event.contact };
    const conversation = await this.#conversationOf(parties, event.name, { metadata, command });
    if (!conversation) return;
    const id = await this.#messageIds.next();
    const isAiOn = conversation.isAiEnabled && assistantId !== null;
    const received = {
      message_id: id,
      conversation_id: conversation.id,
      conversation_uuid: conversation.uuid,
      sender_id: senderId,
      contact_phone: event.contact,
      message_sid: event.message_id,
      contact_name: event.name,
      kind: event.kind,
      text: event.text,
      sent_at: event.at,
      ...referencesOf(event),
    };
    const decide = (state: Message) => receiveMessage(state, received, isAiOn);
    const result = await this.#log.change(id, accountId, metadata, decide, { command });
    if (isAiOn && isAnswerable(received) && result.kind === 'done' && !result.replayed)
      this.#replies.begin(id, accountId, metadata);
  }

  /**
   * A person wrote in the platform's own app: recorded as sent, and they take over the conversation as they do by a
   * freeform message.
   */
  async #sentByHand(event: SentByHand, sender: KnownSender, { metadata, command }: ChatEventCause) {
    const { id: senderId, accountId } = sender;
    const parties = { accountId, senderId, contactPhone: event.contact };
    const conversation = await this.#conversationOf(parties, null, { metadata, command });
    if (!conversation) return;
    const [id, chatappMessageId] = await Promise.all([
      this.#messageIds.next(),
      this.#chatappMessageIds.next(),
    ]);
    const start = sendByHand(event, {
      message_id: id,
      chatapp_message_id: chatappMessageId,
      conversation_id: conversation.id,
      conversation_uuid: conversation.uuid,
      sender_id: senderId,
    });
    const decide = (state: Message) => recordSentByHand(state, start, event.message_id);
    const result = await this.#log.change(id, accountId, metadata, decide, { command });
    if (result.kind !== 'done') return;
    // A repetition answers with the first id. Its process may have died before the takeover, so that is done in either
    // case.
    const { message_id = id }: Partial<StartedSend> = JSON.parse(result.body);
    await this.#conversations.takeOver({ ...start, message_id }, accountId, metadata);
  }

  /**
   * `null` for an event that was recorded before and whose contact was erased since: it must not bring the contact
   * back.
   */
  async #conversationOf(parties: Parties, known: string | null, { metadata, command }: ChatEventCause) {
    const found = await this.#conversations.find(parties, { known }, metadata);
    if (found || (await this.#store.findCommand(command.commandId))) return found;
    return this.#conversations.start(parties, { known }, metadata);
  }

  /**
   * Statuses of messages that are not ours are ignored. A repeated status changes nothing, so no command is recorded.
   */
  async #statusChanged(event: StatusChanged, sender: KnownSender, { metadata }: ChatEventCause) {
    const { status, reference, message_id: messageSid, at, error } = event;
    const id = idOfReference(reference);
    if (id === null) return;
    const recorded = await this.#store.readStream(messageStream(id));
    const causeId = recorded[0]?.metadata.causationId ?? null;
    const reported = { status, senderId: sender.id, reference, messageSid, at, error, causeId };
    const decide = (state: Message) => applyStatus(state, reported);
    if (!isNews(decide(foldOnto(nothingYet(message), message, recorded).state))) return;
    const about = newsOf(recorded[0], { ...metadata, commandId: null });
    await this.#log.change(id, sender.accountId, about, decide);
  }
}

/** Whether the status changes anything; most do not, as the platform's answer to the send was quicker. */
const isNews = (decision: ReturnType<typeof applyStatus>): boolean =>
  'events' in decision && decision.events.length > 0;
