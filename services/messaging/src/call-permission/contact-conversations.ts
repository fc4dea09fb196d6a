import { Injectable } from '@nestjs/common';
import { Conversations } from '../conversation/conversations.ts';
import type { Contact } from './asking.ts';

/** Which conversation a permission belongs to. */
@Injectable()
export class ContactConversations {
  readonly #conversations: Conversations;

  constructor(conversations: Conversations) {
    this.#conversations = conversations;
  }

  /** `null` while the two have none. */
  async uuidOf({ senderId, phone }: Contact): Promise<string | null> {
    const { conversation } = await this.#conversations.standing({ senderId, contactPhone: phone });
    return conversation?.uuid ?? null;
  }
}
