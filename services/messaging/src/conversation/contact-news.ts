import { Injectable } from '@nestjs/common';
import type { ChatContactEvent } from '@parley/contracts';
import type { ChatEventCause, ChatEventHandler } from '../callbacks/chat-event-handler.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import { changeMarketing } from './change-marketing.ts';
import { Conversations, type Decide } from './conversations.ts';
import { moveContact } from './move-contact.ts';

/**
 * Records what the chat platform tells of contacts beside their messages: that they have another number, and whether they
 * want marketing messages. Nothing moves with them to another number: the old one may become somebody else's, and who asked
 * to be called or written to did so by that one. Nor is anything refused to those who want no marketing messages: the
 * platform does that, and knows of a wish that it could not tell.
 */
@Injectable()
export class ContactNews implements ChatEventHandler {
  readonly name = 'contact-news';
  readonly #conversations: Conversations;

  constructor(conversations: Conversations) {
    this.#conversations = conversations;
  }

  /** A contact without a conversation is nobody here. */
  async handle(event: ChatContactEvent, sender: KnownSender, { metadata }: ChatEventCause): Promise<void> {
    const { id: senderId, accountId } = sender;
    const parties = { accountId, senderId, contactPhone: event.contact };
    const record = (decide: Decide) =>
      this.#conversations.change(parties, { ...metadata, commandId: null }, decide);
    const { at } = event;
    if (event.type === 'contact_moved') {
      const movedTo = await this.#conversations.phoneOf({ senderId, contactPhone: event.moved_to });
      await record((state) => moveContact(state, { movedTo, at }));
    }
    if (event.type === 'marketing_preference_changed')
      await record((state) => changeMarketing(state, { isStopped: event.is_stopped, at }));
  }
}
