import { Injectable } from '@nestjs/common';
import { Conversations } from '../conversation/conversations.ts';
import type { Contact } from './asking.ts';

/** Which conversation a permission belongs to, and under which number of the contact. */
@Injectable()
export class ContactConversations {
  readonly #conversations: Conversations;

  constructor(conversations: Conversations) {
    this.#conversations = conversations;
  }

  /** The contact as the two have known it since they began, whichever spelling of the number is given. */
  async known({ senderId, phone }: Contact): Promise<Contact> {
    return { senderId, phone: await this.#conversations.phoneOf({ senderId, contactPhone: phone }) };
  }

  /** `null` while the two have none. */
  async uuidOf({ senderId, phone }: Contact): Promise<string | null> {
    const { conversation } = await this.#conversations.standing({ senderId, contactPhone: phone });
    return conversation?.uuid ?? null;
  }
}
