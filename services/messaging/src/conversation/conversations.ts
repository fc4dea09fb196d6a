import { Inject, Injectable } from '@nestjs/common';
import type { ConversationEvent, EventOf, MessageSendStarted, Rejection } from '@parley/contracts';
import {
  Aggregates,
  Contended,
  createIdAllocator,
  type Decision,
  type EventMetadata,
  type IdAllocator,
  LostRaces,
  type SqlExecutor,
} from '@parley/event-store';
import { dialedSpellingOf, spellingsOf } from '@parley/phone-numbers';
import { READ_POOL } from '@parley/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { message, messageStream } from '../message/message.ts';
import { agesOfReceived, agesOfTemplates } from '../views/conversation-history.ts';
import { whoseContactIs } from '../views/conversation-queries.ts';
import { conversationsTable } from '../views/conversations-view.ts';
import { type Conversation, conversation, conversationCategory, conversationStream } from './conversation.ts';
import { startConversation } from './start-conversation.ts';
import { disableAi, nameContact } from './switch-ai.ts';
import { areTooMany } from './too-many-messages.ts';
import { type LastMessages, type MessagingWindows, windowsAt } from './windows.ts';

/** A sender and a contact. */
interface Pair {
  readonly senderId: number;
  /** E.164, or the chat platform's id of a customer who hides their number. */
  readonly contactPhone: string;
}

/** The same, with the account that the sender belongs to. */
export interface Parties extends Pair {
  readonly accountId: number;
}

/** Names of a contact: `given` by the account, or `known` from the chat platform. The given one counts for more. */
export interface ContactName {
  readonly given?: string | null;
  readonly known?: string | null;
}

export interface FoundConversation {
  readonly id: number;
  readonly uuid: string;
  readonly isAiEnabled: boolean;
  readonly contactName: string | null;
  /** The number as it was first given, perhaps in another spelling than it is looked for. */
  readonly contactPhone: string;
}

/** The parts of a sent message that tell whether a person took over, and since when it is on record. */
type SentMessage = Pick<
  EventOf<typeof MessageSendStarted>['data'],
  'author' | 'kind' | 'conversation_id' | 'message_id'
>;

/** A conversation (null: none) with the messaging windows of its sender and contact. */
export interface Standing extends MessagingWindows {
  readonly conversation: FoundConversation | null;
}

export type Decide = (state: Conversation) => Decision<ConversationEvent> | Rejection;

type Row = FoundConversation & { receivedAt: Date | null; templateSentAt: Date | null; now: Date };

/** Finds and starts the conversations of senders and contacts, names the contacts, and notes takeovers. */
@Injectable()
export class Conversations {
  readonly #aggregates: Aggregates;
  readonly #sql: SqlExecutor;
  readonly #ids: IdAllocator;

  constructor(aggregates: Aggregates, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#sql = sql;
    this.#ids = createIdAllocator(sql, 'conversation_ids');
  }

  /** The conversation, null if there is none, and both messaging windows as of now on the platform clock. */
  async standing({ senderId, contactPhone }: Pair): Promise<Standing> {
    const { rows } = await this.#sql.query<Row>({
      name: 'conversation-standing',
      text: `select c.id, c.uuid, c.is_ai_enabled as "isAiEnabled", c.contact_name as "contactName",
               c.contact_phone as "contactPhone", c.last_received_at as "receivedAt",
               c.last_template_at as "templateSentAt", es.now() as now
             from ${conversationsTable} c ${whoseContactIs}`,
      values: [senderId, spellingsOf(contactPhone)],
    });
    const [row] = rows;
    if (!row) return { conversation: null, ...windowsAt(never, new Date(0)) };
    const { receivedAt, templateSentAt, now, ...conversation } = row;
    return {
      conversation,
      ...windowsAt({ receivedAt: isoOf(receivedAt), templateSentAt: isoOf(templateSentAt) }, now),
    };
  }

  /**
   * Whether the contact has been sent so many templates, and has written as often, that a machine must be answering
   * them.
   */
  async isEndless(parties: Pair): Promise<boolean> {
    const { conversation } = await this.standing(parties);
    if (!conversation) return false;
    const ages = [agesOfTemplates, agesOfReceived].map((agesOf) => agesOf(this.#sql, conversation.id));
    return (await Promise.all(ages)).every(areTooMany);
  }

  /**
   * The contact's number as its conversation has it. Chat platforms spell some numbers otherwise than people dial them:
   * a new contact is known by the spelling that can be dialed.
   */
  async phoneOf({ senderId, contactPhone }: Pair): Promise<string> {
    if (spellingsOf(contactPhone).length === 1) return contactPhone;
    const { conversation } = await this.standing({ senderId, contactPhone });
    return conversation?.contactPhone ?? dialedSpellingOf(contactPhone);
  }

  /** The conversation, null if there is none. Records the contact's name if it is news. */
  async find(
    parties: Parties,
    name: ContactName,
    metadata: EventMetadata,
  ): Promise<FoundConversation | null> {
    const { conversation: found } = await this.standing(parties);
    if (!found) return null;
    const news = name.given || (found.contactName === null ? name.known : null);
    if (news && news !== found.contactName)
      await this.#change(found.id, parties.accountId, metadata, (state) => nameContact(state, news));
    return found;
  }

  async findOrStart(
    parties: Parties,
    name: ContactName,
    metadata: EventMetadata,
  ): Promise<FoundConversation> {
    return (await this.find(parties, name, metadata)) ?? this.start(parties, name, metadata);
  }

  /** Starts the conversation, or finds it where another process was faster; safe with any number of calls at once. */
  async start(parties: Parties, name: ContactName, metadata: EventMetadata): Promise<FoundConversation> {
    const races = new LostRaces();
    for (;;) {
      const found =
        (await this.#begin(parties, name.given || name.known || null, metadata)) ??
        (await this.find(parties, name, metadata));
      if (found) return found;
      // The faster process may be of a copy whose view is not yet as far as its log.
      if (!(await races.mayRetry())) throw new Contended('A conversation that is taken cannot be found.');
    }
  }

  /** Records what is decided about the conversation of a contact; nothing where there is no conversation. */
  async change(parties: Parties, metadata: EventMetadata, decide: Decide): Promise<void> {
    const { conversation: found } = await this.standing(parties);
    if (found) await this.#change(found.id, parties.accountId, metadata, decide);
  }

  /**
   * Notes that the platform took a message. If a person wrote it by hand, AI replies are turned off, unless they were
   * turned on again since the message was put on record. May come late, and more than once.
   */
  async takeOver(sent: SentMessage, accountId: number, metadata: EventMetadata): Promise<void> {
    if (sent.author !== 'person' || sent.kind !== 'freeform') return;
    const timesEnabled = await this.#timesEnabledBefore(sent);
    await this.#change(sent.conversation_id, accountId, metadata, (state) =>
      state?.timesEnabled === timesEnabled ? disableAi(state, 'takeover') : { events: [], reply: '{}' },
    );
  }

  /** How often AI replies had been turned on when the message was put on record. */
  async #timesEnabledBefore({ conversation_id, message_id }: SentMessage): Promise<number | undefined> {
    const beginning = { version: 1 };
    const { position } = await this.#aggregates.loadAt(messageStream(message_id), message, beginning);
    const then = await this.#aggregates.loadAt(conversationStream(conversation_id), conversation, {
      position,
    });
    return then.state?.timesEnabled;
  }

  /** `null` when another process was faster. */
  async #begin(
    parties: Parties,
    contactName: string | null,
    metadata: EventMetadata,
  ): Promise<FoundConversation | null> {
    const id = await this.#ids.next();
    const uuid = uuidv7();
    const { accountId, senderId, contactPhone } = parties;
    const result = await this.#aggregates.execute({
      streamId: conversationStream(id),
      category: conversationCategory,
      accountId,
      fold: conversation,
      isNew: true,
      metadata,
      command: null,
      decide: (state) => startConversation(state, { id, uuid, senderId, contactPhone, contactName }),
    });
    return result.kind === 'done' ? { id, uuid, contactName, contactPhone, isAiEnabled: true } : null;
  }

  async #change(id: number, accountId: number, metadata: EventMetadata, decide: Decide): Promise<void> {
    await this.#aggregates.execute({
      streamId: conversationStream(id),
      category: conversationCategory,
      accountId,
      fold: conversation,
      metadata,
      command: null,
      decide,
    });
  }
}

const never: LastMessages = { receivedAt: null, templateSentAt: null };
const isoOf = (at: Date | null): string | null => at?.toISOString() ?? null;
