import {
  type ConversationEvent,
  type enableConversationAi,
  type OperationSuccess,
  type Rejection,
  reject,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Conversation } from './conversation.ts';

type Answer = OperationSuccess<typeof enableConversationAi>;

/** Turns AI replies on; succeeds without an event when they are on already. */
export function enableAi(state: Conversation): Decision<ConversationEvent, Answer> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: state.isAiEnabled ? [] : [{ type: 'ConversationAiEnabled', data: { conversation_id: state.id } }],
    reply: { status: true, ai_enabled: true },
  };
}

/** Turns AI replies off, because the account asked for it or a person took over; no event when they are off already. */
export function disableAi(
  state: Conversation,
  reason: 'request' | 'takeover',
): Decision<ConversationEvent, Answer> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: state.isAiEnabled
      ? [{ type: 'ConversationAiDisabled', data: { conversation_id: state.id, reason } }]
      : [],
    reply: { status: true, ai_enabled: false },
  };
}

/** Records the contact's name; no event when it is empty or known. */
export function nameContact(state: Conversation, name: string): Decision<ConversationEvent> | Rejection {
  if (!state) return reject('not_found');
  return {
    events:
      name === '' || name === state.contactName
        ? []
        : [{ type: 'ConversationContactNamed', data: { conversation_id: state.id, contact_name: name } }],
    reply: '{}',
  };
}
