import { expect, test } from 'vitest';
import { messageOf, reasonOf } from './failure.ts';

const failing = (code: string) => Object.assign(new Error('connect 10.1.2.3:443 in /srv/app'), { code });

test.each([
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNREFUSED', 'connection_failed'],
  ['EHOSTUNREACH', 'connection_failed'],
  ['NOT_LOADED', 'connection_failed'],
  ['ECONNRESET', 'connection_closed'],
  ['UND_ERR_SOCKET', 'connection_closed'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  ['EPROTO', 'tls'],
  ['UND_ERR_HEADERS_OVERFLOW', 'not_http'],
  ['SOMETHING_NEW', 'other'],
] as const)('%s is %s, alone and for each of several addresses', (code, reason) => {
  expect(reasonOf(failing(code))).toBe(reason);
  expect(reasonOf(new AggregateError([failing(code), failing(code)]))).toBe(reason);
  expect(messageOf(reason)).not.toMatch(/10\.1|srv|_/);
});

test('what is not even an error has a name too', () => {
  expect(reasonOf('nothing')).toBe('other');
});

test('what was given up, took too long or was no HTTP says so by its name', () => {
  const named = (name: string) => Object.assign(new Error('x'), { name });
  expect(['AbortError', 'TimeoutError', 'HTTPParserError'].map((name) => reasonOf(named(name)))).toEqual([
    'aborted',
    'timeout',
    'not_http',
  ]);
  expect(reasonOf(new AggregateError(['no error']))).toBe('other');
});
