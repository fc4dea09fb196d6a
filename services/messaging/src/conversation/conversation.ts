import type { ConversationEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** The conversation of a sender and a contact; null until it is started. */
export type Conversation = {
  readonly id: number;
  readonly uuid: string;
  readonly senderId: number;
  readonly contactPhone: string;
  readonly contactName: string | null;
  readonly isAiEnabled: boolean;
  /** How often AI replies were turned on again. */
  readonly timesEnabled: number;
} | null;

export const conversationCategory = 'conversation';
export const conversationStream = (id: number): string => `${conversationCategory}-${id}`;

/** A conversation as its history shows it, in the API's names. */
export const showConversation = (state: Conversation) =>
  state && {
    id: state.id,
    uuid: state.uuid,
    sender_id: state.senderId,
    customer_phone: state.contactPhone,
    customer_name: state.contactName,
    ai_enabled: state.isAiEnabled,
  };

export const conversation: Fold<Conversation, ConversationEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'ConversationStarted': {
        const { conversation_id: id, uuid, sender_id: senderId } = event.data;
        const { contact_phone: contactPhone, contact_name: contactName } = event.data;
        return { id, uuid, senderId, contactPhone, contactName, isAiEnabled: true, timesEnabled: 0 };
      }
      case 'ConversationContactNamed':
        return state && { ...state, contactName: event.data.contact_name };
      case 'ConversationAiEnabled':
        return state && { ...state, isAiEnabled: true, timesEnabled: state.timesEnabled + 1 };
      case 'ConversationAiDisabled':
        return state && { ...state, isAiEnabled: false };
      default:
        return state;
    }
  },
};
