import type { MessageEvent } from '@parley/contracts';
import type { Decision, EventStore, SqlExecutor } from '@parley/event-store';
import { isStandIn } from '@parley/service-kit';
import { conversationStream } from '../conversation/conversation.ts';
import type { Conversations } from '../conversation/conversations.ts';
import { areTooMany } from '../conversation/too-many-messages.ts';
import { recordNotAnswered } from '../message/incoming/not-answered.ts';
import type { ReceivedMessage, WhyNotAnswered } from '../message/message.ts';
import type { MessageLog } from '../message/message-log.ts';
import {
  agesOfReplies,
  historyUpTo,
  isAnswered,
  isAnsweredByHand,
  isFollowed,
  isTakenBack,
  isTurn,
  isUnderWay,
  type Place,
  type Said,
} from '../views/conversation-history.ts';
import { isOnSince } from './is-on-since.ts';

/**
 * A contact's message that an assistant may have to reply to; position in the log and version of its stream as loaded.
 */
export interface Question {
  readonly message: ReceivedMessage;
  readonly position: number;
  readonly version: number;
}

/** A message that is to be replied to, and what its contact is called. */
export interface WantedQuestion extends Question {
  readonly contactName: string | null;
}

/** The decision that records that a message gets no reply, on this version of its stream. */
type NoReply = Decision<MessageEvent> & { readonly version: number };

const noReply = ({ message, version }: Question, why: WhyNotAnswered): NoReply => ({
  ...recordNotAnswered(message, why),
  version,
});

const placeOf = ({ message, position }: Question): Place => ({
  conversationId: message.received.conversation_id,
  position,
});

/** Decides which messages of contacts are to be replied to by an assistant, as far as is known. */
export class Questions {
  readonly #store: EventStore;
  readonly #conversations: Conversations;
  readonly #log: MessageLog;
  readonly #sql: SqlExecutor;

  constructor(store: EventStore, conversations: Conversations, log: MessageLog, sql: SqlExecutor) {
    this.#store = store;
    this.#conversations = conversations;
    this.#log = log;
    this.#sql = sql;
  }

  /**
   * What is left to do about a message: nothing when a reply was handed over, or none is wanted. A person's answer by
   * hand does not count, as it may still fail, and then a reply is wanted. The decision that records that there is no
   * reply, where its window for text has closed.
   */
  async toDo(messageId: number): Promise<'nothing' | 'reply' | NoReply> {
    const question = await this.#question(messageId);
    if (!question) return 'nothing';
    const place = placeOf(question);
    const { isOn, isOpen } = await this.#standing(question);
    if (!isOn || (await isAnswered(this.#sql, place))) return 'nothing';
    if (isOpen) return 'reply';
    return (await isAnsweredByHand(this.#sql, place)) ? 'nothing' : noReply(question, 'window_closed');
  }

  /**
   * The decision that records that a message got no reply in time; `null` when none was wanted, or one is being handed
   * over, which shows itself what becomes of it.
   */
  async whenGivenUp(messageId: number): Promise<NoReply | null> {
    const question = await this.wanted(messageId);
    if (!question || (await isUnderWay(this.#sql, placeOf(question)))) return null;
    return noReply(question, 'given_up');
  }

  /**
   * The message, if a reply to it is wanted; `null` otherwise, also when a person has answered by hand, as far as is
   * known.
   */
  async wanted(messageId: number): Promise<WantedQuestion | null> {
    const question = await this.#question(messageId);
    if (!question) return null;
    const [{ isOn, isOpen, contactName }, isByHand] = await Promise.all([
      this.#standing(question),
      isAnsweredByHand(this.#sql, placeOf(question)),
    ]);
    return isOn && isOpen && !isByHand ? { ...question, contactName } : null;
  }

  /**
   * As `wanted`, but `null` when the contact has written more since, as the reply to the newer message covers both.
   * Only every tenth message in a row is replied to nevertheless.
   */
  async wantedNow(messageId: number): Promise<WantedQuestion | null> {
    const question = await this.wanted(messageId);
    if (!question) return null;
    const place = placeOf(question);
    return !(await isFollowed(this.#sql, place)) || (await isTurn(this.#sql, place)) ? question : null;
  }

  /** Whether the conversation has had so many AI replies that a machine must be answering them. */
  async isEndless({ message }: Question): Promise<boolean> {
    return areTooMany(await agesOfReplies(this.#sql, message.received));
  }

  /** The conversation up to the message, and what was answered since. */
  history(question: Question): Promise<readonly Said[]> {
    return historyUpTo(this.#sql, placeOf(question));
  }

  /**
   * `null` when it is no contact's message, the contact was erased or has deleted it, or it is on record that it gets
   * no reply.
   */
  async #question(messageId: number): Promise<Question | null> {
    // Until `MessageNotAnswered` the stream has only the receipt, whose position and version these are.
    const { state, position, version } = await this.#log.load(messageId);
    if (state?.direction !== 'inbound' || state.notAnswered !== null) return null;
    if (isStandIn(state.received.contact_phone)) return null;
    const question = { message: state, position, version };
    return (await isTakenBack(this.#sql, placeOf(question))) ? null : question;
  }

  /**
   * Whether replies are on, whether the window for text is open (the platform may have told of the message too late for
   * that), and what the contact is called.
   */
  async #standing({ message: { received }, position }: Question) {
    const { conversation_id, sender_id: senderId, contact_phone: contactPhone } = received;
    const [history, { isFreeformOpen: isOpen, conversation }] = await Promise.all([
      this.#store.readStream(conversationStream(conversation_id)),
      this.#conversations.standing({ senderId, contactPhone }),
    ]);
    const contactName = conversation?.contactName ?? null;
    return { isOn: isOnSince(history, position), isOpen, contactName };
  }
}
