import { expect, test } from 'vitest';
import { redact, redactBesidesPersonal } from './redact.ts';

test('what a key calls secret is replaced, however deep, and the rest stays', () => {
  const event = {
    name: 'Sales',
    token_sha256: 'ab12',
    keys: [{ api_token: 'x', id: 3 }],
    endpoint: { webhook_secret: 'whsec_1', url: 'https://example.test' },
    sip_password: 'p',
    authorization: 'Bearer x',
  };
  expect(redact(event)).toEqual({
    name: 'Sales',
    token_sha256: '[secret]',
    keys: [{ api_token: '[secret]', id: 3 }],
    endpoint: { webhook_secret: '[secret]', url: 'https://example.test' },
    sip_password: '[secret]',
    authorization: '[secret]',
  });
});

test('a secret that is not there still shows as null', () => {
  expect(redact({ token: null })).toEqual({ token: null });
});

test('words that only look like it are left alone', () => {
  const plain = { hashtag: 'a', tokens_used: 3, passwordless: true, inbound_authorization_type: 'ip' };
  expect(redact(plain)).toEqual(plain);
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
