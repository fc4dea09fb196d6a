import { expect, test } from 'vitest';
import { fieldErrors } from '../input/field-errors.ts';
import { createConnection } from '../operations/connections.ts';
import { connectionKinds, toConnectionAuth } from './connections.ts';

test('a secret is used with what its kind needs, and nothing of other kinds', () => {
  const fields = { header: 'X-Token', username: 'ada' };
  expect(connectionKinds.map((kind) => toConnectionAuth({ kind, ...fields }))).toEqual([
    { kind: 'http_bearer' },
    { kind: 'http_header', header: 'X-Token' },
    { kind: 'http_basic', username: 'ada' },
    { kind: 'hmac_sha256' },
  ]);
  expect(toConnectionAuth({ kind: 'http_header', header: null })).toEqual({
    kind: 'http_header',
    header: '',
  });
  expect(toConnectionAuth({ kind: 'http_basic' })).toEqual({ kind: 'http_basic', username: '' });
});

test.each([
  ['http_header', 'header'],
  ['http_basic', 'username'],
])('a connection of kind %s cannot be made without %s', (kind, field) => {
  const { error } = createConnection.body.safeParse({ name: 'CRM', kind, secret: 's3cret' });
  expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
  expect(createConnection.body.safeParse({ name: 'CRM', kind, secret: 's3cret', [field]: 'x' }).success).toBe(
    true,
  );
  expect(
    createConnection.body.safeParse({ name: 'CRM', kind: 'http_bearer', secret: 's3cret' }).success,
  ).toBe(true);
});

test('what is no header, or no user name, is told what one is', () => {
  const given = { name: 'Shop', kind: 'http_basic', secret: 's3cret', header: 'X Token', username: 'a:b' };
  const { error } = createConnection.body.safeParse(given);
  expect(error && fieldErrors(error, given)).toEqual({
    header: ['The header field must be the name of a header, such as X-Api-Key.'],
    username: ['The username field must not hold a colon.'],
  });
});
