import { given } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { apiKey, apiKeyStream } from './api-key.ts';
import { createApiKey } from './create-api-key.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { newToken, sha256Of } from './token.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const command = { apiKeyId: 3, name: 'CI', tokenSha256: 'ab'.repeat(32), expiresAt: null, now } as const;
const answerWith = (token: string | null) => ({ token });
const created = {
  type: 'ApiKeyCreated',
  data: {
    api_key_id: 3,
    name: 'CI',
    token_sha256: command.tokenSha256,
    expires_at: null,
    created_at: '2026-01-02T03:04:05.678Z',
  },
} as const;

describe('creating an API key', () => {
  test('records the hash of its token and stores an answer without the token', () => {
    expect(createApiKey(given(apiKey), command, answerWith)).toEqual({
      events: [created],
      reply: { token: null },
    });
  });

  test('keeps the expiry in UTC, whatever offset it came with', () => {
    const decision = createApiKey(
      given(apiKey),
      { ...command, expiresAt: '2026-01-02T06:04:06+02:00' },
      answerWith,
    );
    expect(decision).toMatchObject({ events: [{ data: { expires_at: '2026-01-02T04:04:06.000Z' } }] });
  });

  test.each(['2026-01-02T03:04:05.678Z', '2025-12-31T00:00:00Z'])('refuses to expire at %s', (expiresAt) => {
    expect(createApiKey(given(apiKey), { ...command, expiresAt }, answerWith)).toMatchObject({
      code: 'invalid',
      fields: { expires_at: ['The expires at field must be in the future.'] },
    });
  });

  test('treats an id that was given out twice as a bug', () => {
    expect(() => createApiKey(given(apiKey, created), command, answerWith)).toThrow('given out twice');
  });
});

describe('deleting an API key', () => {
  const deleted = { type: 'ApiKeyDeleted', data: { api_key_id: 3 } } as const;

  test('ends it for ever', () => {
    expect(deleteApiKey(given(apiKey, created))).toEqual({
      events: [deleted],
      reply: { message: 'API key deleted successfully' },
    });
    expect(apiKeyStream(3)).toBe('api-key-3');
    expect(deleteApiKey(given(apiKey, created, deleted))).toEqual({ code: 'not_found' });
  });

  test('finds nothing when it was never created', () => {
    expect(deleteApiKey(given(apiKey))).toEqual({ code: 'not_found' });
  });
});

describe('a token', () => {
  test('is parley_ and 32 random bytes in base64url', () => {
    const token = newToken();
    expect(token).toMatch(/^parley_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token.slice('parley_'.length), 'base64url')).toHaveLength(32);
    expect(newToken()).not.toBe(token);
  });

  test('is stored as its SHA-256 in hexadecimal', () => {
    expect(sha256Of('parley_test')).toMatch(/^[0-9a-f]{64}$/);
    expect(sha256Of('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
