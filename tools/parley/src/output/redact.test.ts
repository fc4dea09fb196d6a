import { expect, test } from 'vitest';
import { redact, redactBesidesPersonal } from './redact.ts';

test('what a key calls secret is replaced, however deep, and the rest stays', () => {
  const event = {
    name: 'Sales',
    token_sha256: 'ab12',
    keys: [{ api_token: 'x', id: 3 }],
    endpoint: { webhook_secret: 'whsec_1', url: 'https://example.test' },
    sip_password: 'p',
  };
  expect(redact(event)).toEqual({
    name: 'Sales',
    token_sha256: '[secret]',
    keys: [{ api_token: '[secret]', id: 3 }],
    endpoint: { webhook_secret: '[secret]', url: 'https://example.test' },
    sip_password: '[secret]',
  });
});

test('a secret that is not there still shows as null', () => {
  expect(redact({ token: null })).toEqual({ token: null });
});

test('words that only look like it are left alone', () => {
  expect(redact({ hashtag: 'a', tokens_used: 3, passwordless: true })).toEqual({
    hashtag: 'a',
    tokens_used: 3,
    passwordless: true,
  });
});

test('a person sees what an account keeps of them, whatever it is called, and no secret of the account', () => {
  const event = {
    variables: { password: 'p', wifi: [{ token: 't' }] },
    contacts: [{ variables: { secret: 's' }, token: 'x' }],
    token_sha256: 'ab12',
    secrets: { token: 'x' },
  };
  const personal = { fields: ['variables', 'name'], each: { contacts: { fields: ['variables'] } } };
  expect(redactBesidesPersonal(event, personal)).toEqual({
    variables: { password: 'p', wifi: [{ token: 't' }] },
    contacts: [{ variables: { secret: 's' }, token: '[secret]' }],
    token_sha256: '[secret]',
    secrets: { token: '[secret]' },
  });
});
