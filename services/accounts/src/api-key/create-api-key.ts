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

/**
 * Makes the answer with the token, or with `null` in its place: that form is stored, so that no token is ever at
 * rest.
 */
export type AnswerWith<Reply> = (token: string | null) => Reply;

export function createApiKey<Reply>(
  state: ApiKey,
  { apiKeyId, name, tokenSha256, expiresAt, now }: CreateApiKey,
  answerWith: AnswerWith<Reply>,
): Decision<ApiKeyEvent, Reply> | Rejection {
  if (state) throw new Error(`API key ${apiKeyId} was given out twice.`);
  const expiry = expiresAt === null ? null : new Date(expiresAt);
  if (expiry && !(expiry > now))
    return invalidField('expires_at', 'The expires at field must be in the future.');
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
    reply: answerWith(null),
  };
}
