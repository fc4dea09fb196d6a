import type { ApiKeyEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** An API key; `null` before it is created and after it is deleted. Who owns it stands on the stream's events. */
export type ApiKey = {
  readonly apiKeyId: number;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
} | null;

export const apiKeyStream = (apiKeyId: number): string => `api-key-${apiKeyId}`;

/** As the list of keys shows it. */
export const showApiKey = (state: ApiKey) =>
  state && {
    id: state.apiKeyId,
    name: state.name,
    created_at: state.createdAt,
    expires_at: state.expiresAt,
  };

export const apiKey: Fold<ApiKey, ApiKeyEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'ApiKeyCreated':
        return {
          apiKeyId: event.data.api_key_id,
          name: event.data.name,
          createdAt: event.data.created_at,
          expiresAt: event.data.expires_at,
        };
      case 'ApiKeyDeleted':
        return null;
      default:
        return state;
    }
  },
};
