import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startPlatform } from '../platform.fixture.ts';
import { sendRaw } from '../raw-socket.fixture.ts';

const { call, key, url } = await startPlatform();
const limitBytes = 256 * 1024;
const post = (rawBody: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  call('POST', '/api/user/folder', { rawBody, headers });
/** What the answer says that the body should have been: its type, or its encoding. */
const acceptedBy = ({ headers }: { readonly headers: Headers }) => [
  headers.get('accept'),
  headers.get('accept-encoding'),
];
const bodyOf = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;

describe('a body', () => {
  test.each(['{', '{"name":}', 'name=a', '\ufeff{"name":"a"}', '{"name":"a"}{"name":"b"}'])(
    'that is no JSON is 400: %j',
    async (text) => {
      const { status, json } = await post(text);
      expect([status, json]).toEqual([400, { message: 'The request body is not valid JSON.' }]);
    },
  );

  test('that is not UTF-8 is 400', async () => {
    expect((await post(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).status).toBe(400);
  });

  test('of an operation without one must still be JSON', async () => {
    expect((await call('DELETE', '/api/user/folder/1', { rawBody: '{' })).status).toBe(400);
  });

  const otherType = 'The content type must be application/json.';
  const otherCharset = 'The charset of the content type must be UTF-8.';
  const otherEncoding = 'The content encoding is not supported; the body must not be compressed.';

  test.each([
    ['text/plain', 'identity', otherType],
    ['application/x-www-form-urlencoded', 'identity', otherType],
    ['multipart/form-data; boundary=x', 'identity', otherType],
    ['application/jsonp', 'identity', otherType],
    ['nonsense', 'identity', otherType],
    ['application/json; charset=latin1', 'identity', otherCharset],
    ['application/json;charset="utf-16"', 'identity', otherCharset],
    ['application/json', 'gzip', otherEncoding],
    ['application/json', 'br', otherEncoding],
  ])('of another kind is 415, and the answer says what is wrong: %s %s', async (type, encoding, message) => {
    const headers = { 'content-type': type, 'content-encoding': encoding };
    const answer = await post('{"name":"a"}', headers);
    expect([answer.status, answer.json]).toEqual([415, { message }]);
    expect(acceptedBy(answer)).toEqual(
      message === otherEncoding ? [null, 'identity'] : ['application/json', null],
    );
  });

  test.each([
    ['application/json', 'identity', 'The content type must be text/csv, in UTF-8.'],
    ['text/csv; charset=latin1', 'identity', otherCharset],
    ['text/csv', 'gzip', otherEncoding],
  ])('of another kind than a file is 415 as well: %s %s', async (type, encoding, message) => {
    const answer = await call('POST', '/api/user/leads/import?campaign_id=1', {
      rawBody: 'phone_number\n',
      headers: { 'content-type': type, 'content-encoding': encoding },
    });
    expect([answer.status, answer.json]).toEqual([415, { message }]);
    expect(acceptedBy(answer)).toEqual(message === otherEncoding ? [null, 'identity'] : ['text/csv', null]);
  });

  test('may say that it is not compressed', async () => {
    for (const encoding of ['identity', 'Identity', ''])
      expect((await post('{"name":"a"}', { 'content-encoding': encoding })).status, encoding).toBe(201);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON',
  ])('may be %s', async (type) => {
    expect((await post('{"name":"a"}', { 'content-type': type })).status).toBe(201);
  });

  test('that would unpack to much more is not unpacked', async () => {
    const bomb = Uint8Array.from(gzipSync(Buffer.alloc(50_000_000, 0x20)));
    expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});

describe('a body’s size', () => {
  test('may be 256 KiB', async () => {
    expect((await post(bodyOf(limitBytes))).status).toBe(422);
  });

  test.each([limitBytes + 1, 1024 * 1024, 5 * 1024 * 1024])(
    'of %i bytes is 413, and the answer arrives',
    async (bytes) => {
      const { status, json } = await post(bodyOf(bytes));
      expect([status, json]).toEqual([413, { message: 'The request body is too large.' }]);
    },
  );

  test('counts as the services get it: numbers that are short with an exponent only are too large', async () => {
    const rawBody = `{"tools":[{"steps":[${Array(52_000).fill('1e20')}]}]}`;
    expect(rawBody.length).toBeLessThan(limitBytes);
    const { status, json } = await call('PUT', '/api/user/assistant/1', { rawBody });
    expect([status, json]).toEqual([413, { message: 'The request body is too large.' }]);
  });

  test('without a stated length is limited as well', async () => {
    const chunk = 'x'.repeat(60_000);
    const chunks = Array.from({ length: 5 }, () => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    const { text } = await sendRaw(
      url,
      `POST /api/user/folder HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });
});
