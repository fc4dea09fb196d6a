import { type ConversationEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Conversation, Move } from './conversation.ts';

/** Records that the contact has another number now; no event when that, or a later change, is known. */
export function moveContact(
  state: Conversation,
  { movedTo: moved_to, at }: Move,
): Decision<ConversationEvent> | Rejection {
  if (!state) return reject('not_found');
  const { id: conversation_id, uuid, senderId: sender_id, contactPhone: contact_phone } = state;
  const data = { conversation_id, uuid, sender_id, contact_phone, moved_to, at };
  const isNews = state.moved === null || Date.parse(at) > Date.parse(state.moved.at);
  return {
    events: isNews ? [{ type: 'ConversationContactMoved', data }] : [],
    reply: '{}',
  };
}
