import type { ConversationEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** A change of the contact's number. */
export interface Move {
  /** E.164, or the chat platform's id of a customer who hides their number. */
  readonly movedTo: string;
  /** ISO 8601 */
  readonly at: string;
}

/** What a contact wants of marketing messages. */
export interface MarketingPreference {
  readonly isStopped: boolean;
  /** ISO 8601 */
  readonly at: string;
}

/** The conversation of a sender and a contact; null until it is started. */
export type Conversation = {
  readonly id: number;
  readonly uuid: string;
  readonly senderId: number;
  readonly contactPhone: string;
  readonly contactName: string | null;
  /** The number that the contact has now; null while the platform tells of none. */
  readonly moved: Move | null;
  /** Null while the platform tells of none: then they are welcome. */
  readonly marketing: MarketingPreference | null;
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
    moved_to: state.moved?.movedTo ?? null,
    marketing_stopped_at: stoppedAt(state.marketing),
    ai_enabled: state.isAiEnabled,
  };

/** Since when a contact wants no marketing messages; null where they are welcome. */
export const stoppedAt = (preference: MarketingPreference | null): string | null =>
  preference?.isStopped ? preference.at : null;

export const conversation: Fold<Conversation, ConversationEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'ConversationStarted': {
        const { conversation_id: id, uuid, sender_id: senderId } = event.data;
        const { contact_phone: contactPhone, contact_name: contactName } = event.data;
        const now = { contactName, moved: null, marketing: null, isAiEnabled: true, timesEnabled: 0 };
        return { id, uuid, senderId, contactPhone, ...now };
      }
      case 'ConversationContactNamed':
        return state && { ...state, contactName: event.data.contact_name };
      case 'ConversationContactMoved':
        return state && { ...state, moved: { movedTo: event.data.moved_to, at: event.data.at } };
      case 'ConversationMarketingStopped':
        return state && { ...state, marketing: { isStopped: true, at: event.data.at } };
      case 'ConversationMarketingResumed':
        return state && { ...state, marketing: { isStopped: false, at: event.data.at } };
      case 'ConversationAiEnabled':
        return state && { ...state, isAiEnabled: true, timesEnabled: state.timesEnabled + 1 };
      case 'ConversationAiDisabled':
        return state && { ...state, isAiEnabled: false };
      default:
        return state;
    }
  },
};
