import { Injectable } from '@nestjs/common';
import { Conversations } from '../conversation/conversations.ts';
import type { Contact } from './asking.ts';

/** Finds the conversation that a permission belongs to, and the contact's number in it. */
@Injectable()
export class ContactConversations {
  readonly #conversations: Conversations;

  constructor(conversations: Conversations) {
    this.#conversations = conversations;
  }

  /** The contact with the spelling of its number that its conversation has, whichever spelling is given. */
  async known({ senderId, phone }: Contact): Promise<Contact> {
    return { senderId, phone: await this.#conversations.phoneOf({ senderId, contactPhone: phone }) };
  }

  /** UUID of the conversation of sender and contact; `null` when there is none. */
  async uuidOf({ senderId, phone }: Contact): Promise<string | null> {
    const { conversation } = await this.#conversations.standing({ senderId, contactPhone: phone });
    return conversation?.uuid ?? null;
  }
}
