import type { VoiceWebhookEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** Where an account's voice events of its chat apps are told; `url` is null while they are told nowhere. */
export interface VoiceWebhook {
  readonly url: string | null;
}

export const voiceWebhookCategory = 'voice-webhook';
export const voiceWebhookStream = (accountId: number): string => `${voiceWebhookCategory}-${accountId}`;

export const voiceWebhook: Fold<VoiceWebhook, VoiceWebhookEvent> = {
  initialState: { url: null },
  evolve(state, event) {
    switch (event.type) {
      case 'VoiceWebhookSet':
        return { url: event.data.url };
      case 'VoiceWebhookDisabled':
        return { url: null };
      default:
        return state;
    }
  },
};
