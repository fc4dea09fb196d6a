import type { SenderEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/**
 * A business number of the chat platform that an account sends from. `null` until it is connected, and once it is
 * disconnected.
 */
export type Sender = {
  readonly id: number;
  /** E.164 */
  readonly phoneNumber: string;
  readonly displayName: string;
  /** The assistant that replies on it; `null`: none. */
  readonly assistantId: number | null;
  /** The chat platform's ids of the number, and of the account that the number belongs to there. */
  readonly phoneNumberId: string;
  readonly platformAccountId: string;
  readonly status: 'online' | 'offline';
  readonly qualityRating: 'GREEN' | 'YELLOW' | 'RED';
  /** Unique recipients in 24 hours; `null` is unlimited. */
  readonly messagingLimit: number | null;
  readonly voiceCallingEnabled: boolean;
} | null;

export const senderCategory = 'sender';
/** Claims on numbers, by the chat platform's ids: each is one sender's. */
export const numberScope = 'chat-number';
export const senderStream = (id: number): string => `${senderCategory}-${id}`;

export const sender: Fold<Sender, SenderEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'SenderConnected': {
        const { data } = event;
        return {
          id: data.sender_id,
          phoneNumber: data.phone_number,
          displayName: data.display_name,
          assistantId: data.assistant_id,
          phoneNumberId: data.phone_number_id,
          platformAccountId: data.platform_account_id,
          status: data.status,
          qualityRating: data.quality_rating,
          messagingLimit: data.messaging_limit,
          voiceCallingEnabled: data.voice_calling_enabled,
        };
      }
      case 'SenderRenamed':
        return state && { ...state, displayName: event.data.display_name };
      case 'SenderAssistantChanged':
        return state && { ...state, assistantId: event.data.assistant_id };
      case 'SenderStatusChanged':
        return state && { ...state, status: event.data.status };
      case 'SenderQualityChanged':
        return state && { ...state, qualityRating: event.data.quality_rating };
      case 'SenderMessagingLimitChanged':
        return state && { ...state, messagingLimit: event.data.messaging_limit };
      case 'SenderVoiceCallingChanged':
        return state && { ...state, voiceCallingEnabled: event.data.voice_calling_enabled };
      case 'SenderDisconnected':
        return null;
      default:
        return state;
    }
  },
};
