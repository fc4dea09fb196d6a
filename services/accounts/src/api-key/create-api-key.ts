import { type ApiKeyEvent, invalidField, type Rejection } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { ApiKey } from './api-key.ts';

export interface CreateApiKey {
  /** Fresh: no other key ever has it. */
  readonly apiKeyId: number;
  readonly name: string;
  readonly tokenSha256: string;
  /** ISO 8601 with any offset; `null` for a key that never expires. */
  readonly expiresAt: string | null;
  /** The platform clock. */
  readonly now: Date;
}

export interface ApiKeyAnswer {
  readonly message: string;
  readonly api_key: {
    readonly id: number;
    readonly name: string;
    /** Only in the first answer; the stored one, which replays show, has `null` (decisions, section 8). */
    readonly token: string | null;
    readonly created_at: string;
  };
}

export const apiKeyAnswer = (
  { apiKeyId, name, now }: Pick<CreateApiKey, 'apiKeyId' | 'name' | 'now'>,
  token: string | null,
): ApiKeyAnswer => ({
  message: 'API key created successfully',
  api_key: { id: apiKeyId, name, token, created_at: now.toISOString() },
});

export function createApiKey(
  state: ApiKey,
  { apiKeyId, name, tokenSha256, expiresAt, now }: CreateApiKey,
): Decision<ApiKeyEvent, ApiKeyAnswer> | Rejection {
  if (state) throw new Error(`API key ${apiKeyId} was given out twice.`);
  const expiry = expiresAt === null ? null : new Date(expiresAt);
  if (expiry && !(expiry > now)) return invalidField('expires_at', 'The expires at must be in the future.');
  return {
    events: [
      {
        type: 'ApiKeyCreated',
        data: {
          api_key_id: apiKeyId,
          name,
          token_sha256: tokenSha256,
          expires_at: expiry?.toISOString() ?? null,
          created_at: now.toISOString(),
        },
      },
    ],
    reply: apiKeyAnswer({ apiKeyId, name, now }, null),
  };
}
