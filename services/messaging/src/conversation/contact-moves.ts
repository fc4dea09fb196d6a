import { Injectable } from '@nestjs/common';
import type { ChatContactEvent } from '@parley/contracts';
import type { ChatEventCause, ChatEventHandler } from '../callbacks/chat-event-handler.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import { Conversations } from './conversations.ts';
import { moveContact } from './move-contact.ts';

/**
 * Records that a contact has another number. Nothing moves with them: their old number may become somebody else's, and
 * who asked to be called or written to did so by that one.
 */
@Injectable()
export class ContactMoves implements ChatEventHandler {
  readonly name = 'contact-moves';
  readonly #conversations: Conversations;

  constructor(conversations: Conversations) {
    this.#conversations = conversations;
  }

  /** A contact without a conversation is nobody here. */
  async handle(event: ChatContactEvent, sender: KnownSender, { metadata }: ChatEventCause): Promise<void> {
    if (event.type !== 'contact_moved') return;
    const { id: senderId, accountId } = sender;
    const movedTo = await this.#conversations.phoneOf({ senderId, contactPhone: event.moved_to });
    const parties = { accountId, senderId, contactPhone: event.contact };
    await this.#conversations.change(parties, { ...metadata, commandId: null }, (state) =>
      moveContact(state, { movedTo, at: event.at }),
    );
  }
}
