import { Inject, Injectable } from '@nestjs/common';
import type { ChatContactEvent, ChatEvent } from '@parley/contracts';
import type { EventStore, SqlExecutor } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import { EVENT_STORE, READ_POOL } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import { Conversations } from '../conversation/conversations.ts';
import { senderCategory, senderStream } from '../sender/sender.ts';
import { syncTimer } from '../sync/sync-timers.ts';
import { Directory } from '../views/directory.ts';
import { findSendersOfPlatformAccount, type KnownSender } from '../views/sender-queries.ts';
import { CHAT_EVENT_HANDLERS, type ChatEventCause, type ChatEventHandler } from './chat-event-handler.ts';

/** UUID namespace of the command ids, which are made from the platform's ids. */
const eventSpace = '7c0c5f3a-62a7-5a43-9d0b-6f1f4f1b7c55';

/**
 * Hands the chat platform's events to the slices that act on them; has numbers and templates read again when an account
 * changed.
 */
@Injectable()
export class ChatEvents {
  readonly #directory: Directory;
  readonly #conversations: Conversations;
  readonly #handlers: readonly ChatEventHandler[];
  readonly #store: EventStore;
  readonly #sql: SqlExecutor;

  constructor(
    directory: Directory,
    conversations: Conversations,
    @Inject(CHAT_EVENT_HANDLERS) handlers: readonly ChatEventHandler[],
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#directory = directory;
    this.#conversations = conversations;
    this.#handlers = handlers;
    this.#store = store;
    this.#sql = sql;
  }

  /** Resolves when all handlers are done; rejects when the platform has to send the callback again. */
  async receive(events: readonly ChatEvent[], message: MessageContext): Promise<void> {
    const contacts = Map.groupBy(events.filter(isOfContact), ({ phone_number_id, contact }) =>
      [phone_number_id, contact].join(' '),
    );
    const accounts = new Set(events.flatMap((event) => (isOfContact(event) ? [] : [event.account_id])));
    await Promise.all([
      ...[...contacts.values()].map((told) => this.#tell(told, message)),
      ...[...accounts].map((account) => this.#readAgain(account, message)),
    ]);
  }

  /** Hands over the events of one contact, in the order in which they were told. */
  async #tell(events: readonly ChatContactEvent[], message: MessageContext): Promise<void> {
    for (const event of events) {
      for (const sender of await this.#sendersOf(event)) {
        const parties = { senderId: sender.id, contactPhone: event.contact };
        const known = { ...event, contact: await this.#conversations.phoneOf(parties) };
        for (const handler of this.#handlers)
          await handler.handle(known, sender, causeOf(event, handler.name, message));
      }
    }
  }

  /**
   * A status is about a message of any sender that ever had the number: what was paid for one that fails is owed also
   * when its sender is disconnected. Handlers know their own by the reference.
   */
  #sendersOf({
    type,
    phone_number_id: phoneNumberId,
    at,
  }: ChatContactEvent): Promise<readonly KnownSender[]> {
    return this.#directory.sendersOfNumber({
      phoneNumberId,
      at: type === 'message_status_changed' ? null : at,
    });
  }

  /** Has numbers and templates of the platform account's senders read now. */
  async #readAgain(platformAccountId: string, message: MessageContext): Promise<void> {
    const senders = await findSendersOfPlatformAccount(this.#sql, platformAccountId);
    await Promise.all(
      senders.map(({ id: senderId, accountId }) =>
        this.#store.append({
          streamId: senderStream(senderId),
          category: senderCategory,
          accountId,
          events: [],
          expectedVersion: 'any',
          metadata: metadataOf(platformAccountId, null, message),
          timers: [
            syncTimer('numbers', { senderId, accountId }, 'now'),
            syncTimer('templates', { senderId, accountId }, 'now'),
          ],
        }),
      ),
    );
  }
}

const isOfContact = (event: ChatEvent): event is ChatContactEvent => event.type !== 'account_changed';

function causeOf(event: ChatContactEvent, handler: string, message: MessageContext): ChatEventCause {
  const commandId = uuidv5(`${event.phone_number_id} ${event.id} ${handler}`, eventSpace);
  return {
    metadata: metadataOf(event.id, commandId, message),
    command: { commandId, fingerprint: null },
  };
}

const metadataOf = (
  causationId: string,
  commandId: string | null,
  { actor, correlationId, traceparent }: MessageContext,
): ChatEventCause['metadata'] => ({
  correlationId,
  causationId,
  commandId,
  actor,
  ...(traceparent === undefined ? {} : { traceparent }),
});
