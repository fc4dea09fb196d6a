import { type ApiKeyEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { ApiKey } from './api-key.ts';

export interface Confirmation {
  readonly message: string;
}

export function deleteApiKey(state: ApiKey): Decision<ApiKeyEvent, Confirmation> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [{ type: 'ApiKeyDeleted', data: { api_key_id: state.apiKeyId } }],
    reply: { message: 'API key deleted successfully' },
  };
}
