import { type ConversationEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Conversation, MarketingPreference } from './conversation.ts';

/** Records what the contact wants of marketing messages; no event when that, or a later wish, is known. */
export function changeMarketing(
  state: Conversation,
  { isStopped, at }: MarketingPreference,
): Decision<ConversationEvent> | Rejection {
  if (!state) return reject('not_found');
  const { id: conversation_id, uuid, senderId: sender_id, contactPhone: contact_phone } = state;
  const type = isStopped ? 'ConversationMarketingStopped' : 'ConversationMarketingResumed';
  const data = { conversation_id, uuid, sender_id, contact_phone, at };
  const isNews = state.marketing === null || Date.parse(at) > Date.parse(state.marketing.at);
  return { events: isNews ? [{ type, data }] : [], reply: '{}' };
}
