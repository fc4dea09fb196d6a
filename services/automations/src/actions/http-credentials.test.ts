import { expect, test } from 'vitest';
import { httpCredentials } from './http-credentials.ts';

const connection = (kind: string, value: object) =>
  httpCredentials({ kind, value } as Parameters<typeof httpCredentials>[0]);

test('each kind of connection shows who asks in its own header', () => {
  expect(connection('http_bearer', { secret: 's3cret' }).headers).toEqual({
    authorization: 'Bearer s3cret',
  });
  expect(connection('http_header', { header: 'X-Token', secret: 's3cret' }).headers).toEqual({
    'X-Token': 's3cret',
  });
  expect(connection('http_header', { secret: 's3cret' }).headers).toEqual({ 'x-api-key': 's3cret' });
  expect(connection('http_basic', { username: 'ada', secret: 's3cret' }).headers).toEqual({
    authorization: `Basic ${Buffer.from('ada:s3cret').toString('base64')}`,
  });
  expect(connection('openai', { secret: 's3cret' }).headers).toEqual({});
});

test('what the other side echoes of it is taken out, also as the pair that was sent', () => {
  const pair = Buffer.from('ada:s3cret').toString('base64');
  const { redact } = connection('http_basic', { username: 'ada', secret: 's3cret' });
  expect(redact(`got s3cret and ${pair}, s3cret`)).toBe('got [secret] and [secret], [secret]');
  expect(connection('http_bearer', { secret: '' }).redact('nothing to hide')).toBe('nothing to hide');
});

test('what JSON spells in another way is taken out as well', () => {
  const secret = 'aB/3+"x\\y\tz=';
  const { redact } = connection('http_bearer', { secret });
  const json = JSON.stringify({ echoed: secret });
  const hex = [...secret].map((character) => character.charCodeAt(0).toString(16).padStart(4, '0'));
  const escaped = hex.map((digits) => `\\u${digits}`).join('');
  const inCapitals = hex.map((digits) => `\\u${digits.toUpperCase()}`).join('');
  for (const echo of [json, json.replaceAll('/', '\\/')]) expect(redact(echo)).toBe('{"echoed":"[secret]"}');
  expect(redact(`${secret} ${escaped} ${inCapitals}`)).toBe('[secret] [secret] [secret]');
});

test('without a connection nothing is shown and nothing is taken out', () => {
  const { headers, redact } = httpCredentials(null);
  expect([headers, redact('text')]).toEqual([{}, 'text']);
});

test('a connection that lost its secret shows none', () => {
  expect(connection('http_header', {}).headers).toEqual({ 'x-api-key': '' });
  expect(connection('http_basic', { username: null }).redact('nothing to hide')).toBe('nothing to hide');
});
