import { type ConversationEvent, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { type Conversation, conversationStream } from './conversation.ts';

export interface StartConversation {
  /** Fresh: no other conversation ever has it. */
  readonly id: number;
  readonly uuid: string;
  readonly senderId: number;
  readonly contactPhone: string;
  readonly contactName: string | null;
}

/**
 * Starts the one conversation of a sender and a contact, however the number is spelled. Where there is one already, the
 * append is rejected with `contended`, and the caller finds that one.
 */
export function startConversation(
  state: Conversation,
  { id, uuid, senderId, contactPhone, contactName }: StartConversation,
): Decision<ConversationEvent> {
  if (state) throw new Error(`conversation ${id} was given out twice.`);
  return {
    events: [
      {
        type: 'ConversationStarted',
        data: {
          conversation_id: id,
          uuid,
          sender_id: senderId,
          contact_phone: contactPhone,
          contact_name: contactName,
        },
      },
    ],
    claims: spellingsOf(contactPhone).map((key) => ({
      op: 'take',
      scope: `conversation-of-sender:${senderId}`,
      key,
      owner: conversationStream(id),
    })),
    onClaimTaken: () => reject('contended'),
    reply: '{}',
  };
}
