import { Inject, Injectable } from '@nestjs/common';
import type { MessageEvent } from '@parley/contracts';
import type { Decision, EventStore, SqlExecutor } from '@parley/event-store';
import { EVENT_STORE, isStandIn, READ_POOL } from '@parley/service-kit';
import { conversationStream } from '../conversation/conversation.ts';
import { Conversations } from '../conversation/conversations.ts';
import { areTooMany } from '../conversation/too-many-messages.ts';
import type { ReceivedMessage } from '../message/message.ts';
import { MessageLog } from '../message/message-log.ts';
import { recordNotAnswered } from '../message/not-answered.ts';
import {
  agesOfReplies,
  historyUpTo,
  isAnswered,
  isAnsweredByHand,
  isFollowed,
  isTurn,
  isUnderWay,
  type Place,
  type Said,
} from '../views/conversation-history.ts';
import { isOnSince } from './is-on-since.ts';

/** What a contact wrote, and where in the log. */
export interface Question {
  readonly message: ReceivedMessage;
  readonly position: number;
  readonly version: number;
}

const placeOf = ({ message, position }: Question): Place => ({
  conversationId: message.received.conversation_id,
  position,
});

/** Which messages of contacts are to be answered by their assistant, as far as is known. */
@Injectable()
export class Questions {
  readonly #store: EventStore;
  readonly #conversations: Conversations;
  readonly #log: MessageLog;
  readonly #sql: SqlExecutor;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    conversations: Conversations,
    log: MessageLog,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#store = store;
    this.#conversations = conversations;
    this.#log = log;
    this.#sql = sql;
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

  /** The same, unless the contact has written more since: then it is left to the reply to that, but for every tenth in a row. */
  async wantedNow(messageId: number): Promise<Question | null> {
    const question = await this.#wanted(messageId);
    if (!question) return null;
    const place = placeOf(question);
    return !(await isFollowed(this.#sql, place)) || (await isTurn(this.#sql, place)) ? question : null;
  }

  /** Whether its conversation has had so many replies that a machine must be answering them. */
  async isEndless({ message }: Question): Promise<boolean> {
    return areTooMany(await agesOfReplies(this.#sql, message.received));
  }

  /** All that was said up to it, and what was answered since. */
  history(question: Question): Promise<readonly Said[]> {
    return historyUpTo(this.#sql, placeOf(question));
  }

  /** `null` when it is no message of a contact, or of one who was erased, or it is on record that it is not answered. */
  async #question(messageId: number): Promise<Question | null> {
    // Until then nothing follows the receipt in the stream of such a message.
    const { state, position, version } = await this.#log.load(messageId);
    if (state?.direction !== 'inbound' || state.notAnswered !== null) return null;
    if (isStandIn(state.received.contact_phone)) return null;
    return { message: state, position, version };
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
}
