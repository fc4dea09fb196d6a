import { Injectable } from '@nestjs/common';
import type { ChatContactEvent } from '@parley/contracts';
import type { ChatEventCause, ChatEventHandler } from '../callbacks/chat-event-handler.ts';
import type { KnownSender } from '../views/sender-queries.ts';
import { changeMarketing } from './change-marketing.ts';
import { Conversations } from './conversations.ts';

/**
 * Records which contacts want no marketing messages. Nothing is refused for it here: the platform does that, and knows
 * of a wish that it could not tell.
 */
@Injectable()
export class MarketingPreferences implements ChatEventHandler {
  readonly name = 'marketing-preferences';
  readonly #conversations: Conversations;

  constructor(conversations: Conversations) {
    this.#conversations = conversations;
  }

  /** A contact without a conversation is nobody here. */
  async handle(event: ChatContactEvent, sender: KnownSender, { metadata }: ChatEventCause): Promise<void> {
    if (event.type !== 'marketing_preference_changed') return;
    const { contact: contactPhone, is_stopped: isStopped, at } = event;
    const parties = { accountId: sender.accountId, senderId: sender.id, contactPhone };
    await this.#conversations.change(parties, { ...metadata, commandId: null }, (state) =>
      changeMarketing(state, { isStopped, at }),
    );
  }
}
