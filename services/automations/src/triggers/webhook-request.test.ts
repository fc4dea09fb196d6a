import { createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { chainHeader } from '@parley/contracts';
import { expect, test } from 'vitest';
import { chainActor, chainDepthAfter, chainDepthOfRequest } from './chain.ts';
import { isSigned, requestIdOf, webhookPayload } from './webhook-request.ts';

const form = 'application/x-www-form-urlencoded';
const read = (body: string | Buffer, type?: string) =>
  webhookPayload(type === undefined ? {} : { 'content-type': type }, Buffer.from(body));

test('a body is read as what it says it is, or looks like', async () => {
  expect(await read('{"a":1}', 'application/json; charset=utf-8')).toMatchObject({ body: { a: 1 } });
  expect(await read('[1]')).toMatchObject({ body: [1] });
  expect(await read('a=1&b=%20', form)).toMatchObject({
    body: { a: '1', b: ' ' },
  });
  expect(await read('{not json', 'text/plain')).toMatchObject({ body: '{not json' });
  expect(await read('')).toMatchObject({ body: '' });
});

test('a name that a form repeats has all its values, in their order', async () => {
  expect(await read('a=1&b=x&a=2&a=&=3&c', form)).toMatchObject({
    body: { a: ['1', '2', ''], b: 'x', '': '3', c: '' },
  });
  expect(await read('__proto__=1&__proto__=2&toString=3', form)).toHaveProperty(
    'body',
    Object.fromEntries([
      ['__proto__', ['1', '2']],
      ['toString', '3'],
    ]),
  );
});

test('a body is read in the charset that it says it is in', async () => {
  const euro = Buffer.from([0x80, 0x20, 0xe9]);
  expect(await read(euro, 'text/plain; charset=windows-1252')).toMatchObject({ body: '€ é' });
  expect(await read(euro, 'text/plain;charset="ISO-8859-1"')).toMatchObject({ body: '€ é' });
  expect(await read('caf%E9=%80+x', `${form}; charset=windows-1252`)).toMatchObject({
    body: { café: '€ x' },
  });
  expect(await read('caf%C3%A9=é+%zz', form)).toMatchObject({ body: { café: 'é %zz' } });
  expect(await read(Buffer.from('{"a":"é"}', 'utf16le'), 'application/json; charset=utf-16le')).toMatchObject(
    {
      body: { a: 'é' },
    },
  );
  expect(await read('\ufeff{"a":1}', 'application/json')).toMatchObject({ body: { a: 1 } });
});

test('a body that is not in its charset, or in one that nobody knows, is refused', async () => {
  const latin = Buffer.from('{"a":"é"}', 'latin1');
  for (const type of ['application/json', 'text/plain; charset=utf-8', form, undefined])
    expect(await read(latin, type), type).toEqual({ code: 'malformed' });
  expect(await read('a=%E9', form)).toEqual({ code: 'malformed' });
  expect(await read('{"a":1}', 'application/json; charset=klingon')).toEqual({ code: 'malformed' });
});

test('a whole number that would lose digits is the text of its digits', async () => {
  expect(
    await read('{"order":12345678901234567890,"n":[9007199254740991]}', 'application/json'),
  ).toMatchObject({
    body: { order: '12345678901234567890', n: [9_007_199_254_740_991] },
  });
  expect(await read('[-9007199254740993]')).toMatchObject({ body: ['-9007199254740993'] });
});

test('a number that is too large to be stored as one is the text that it was sent as', async () => {
  expect(await read('{"n":1e999,"m":1e308}', 'application/json')).toMatchObject({
    body: { n: '1e999', m: 1e308 },
  });
});

const unpack = (body: Buffer, encoding: string) =>
  webhookPayload({ 'content-type': 'application/json', 'content-encoding': encoding }, body);

test('a packed body is read as what was packed', async () => {
  const body = '{"a":1}';
  for (const [encoding, packed] of [
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
    ['identity', Buffer.from(body)],
    ['', Buffer.from(body)],
  ] as const)
    expect(await unpack(packed, encoding), encoding).toEqual({
      headers: { 'content-type': 'application/json' },
      body: { a: 1 },
    });
});

test('others go on while a body is unpacked', async () => {
  let isUnpacked = false;
  const unpacking = unpack(brotliCompressSync(`"${'x'.repeat(600_000)}"`), 'br').then((payload) => {
    isUnpacked = true;
    return payload;
  });
  await nextTurn();
  expect(isUnpacked).toBe(false);
  expect(await unpacking).toHaveProperty('body');
});

test('a body that is packed otherwise than it says, or in a way that nobody here knows, is refused', async () => {
  const packed = gzipSync('{"a":1}');
  for (const bytes of [Buffer.from('{"a":1}'), packed.subarray(0, -9), Buffer.alloc(0)])
    expect(await unpack(bytes, 'gzip')).toEqual({ code: 'malformed' });
  for (const encoding of ['zstd', 'gzip, gzip', 'toString'])
    expect(await unpack(packed, encoding)).toEqual({
      code: 'unsupported_media_type',
      message: 'The content encoding must be gzip, deflate or br.',
      acceptEncoding: 'gzip, deflate, br',
    });
});

test('a packed body holds as much as one that is not, and no more', async () => {
  const text = (bytes: number) => gzipSync(`"${'x'.repeat(bytes - 2)}"`);
  expect(await unpack(text(640 * 1024), 'gzip')).toHaveProperty('body');
  for (const bytes of [640 * 1024 + 1, 50_000_000])
    expect(await unpack(text(bytes), 'gzip')).toEqual({ code: 'payload_too_large' });
});

test('what cannot be kept, or is not what it says, is refused', async () => {
  for (const body of ['{"a":', '{"a":"\\u0000"}', '{"a":"\\ud800"}', '{"\\u0000":1}'])
    expect(await read(body, 'application/json'), body).toEqual({ code: 'malformed' });
  expect(await read('a\u0000b')).toEqual({ code: 'malformed' });
  expect(await read('a=%00', form)).toEqual({ code: 'malformed' });
});

test('a text that only speaks of such characters is kept', async () => {
  const body = { path: 'C:\\u0000', '\\ud800': '\\ud83d' };
  expect(await read(JSON.stringify(body))).toMatchObject({ body });
});

test('a body is nested as deep as that of any request, and no deeper', async () => {
  const nested = (levels: number, key: string) =>
    `[{${key}:`.repeat(levels / 2) + 1 + '}]'.repeat(levels / 2);
  expect(await read(nested(32, '"a"'))).toMatchObject({ body: [{ a: [{}] }] });
  for (const levels of [34, 4_000, 200_000])
    for (const key of ['"a"', '"\\""'])
      for (const type of ['application/json', undefined])
        expect(await read(nested(levels, key), type)).toEqual({
          code: 'invalid',
          fields: { body: ['The body must not be nested deeper than 32 levels.'] },
        });
});

test('a signature is one of these very bytes, in any of the usual spellings', () => {
  const body = Buffer.from('{"n":1}');
  const signature = createHmac('sha256', 's').update(body);
  const bytes = signature.digest();
  const spellings = [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), bytes.toString('base64')];
  for (const text of spellings) {
    expect(isSigned(body, 's', text)).toBe(true);
    expect(isSigned(body, 's', `sha256=${text}`)).toBe(true);
    expect(isSigned(body, 't', text)).toBe(false);
    expect(isSigned(Buffer.from('{"n":2}'), 's', text)).toBe(false);
  }
  for (const text of [undefined, '', 'sha256=', 'ff']) expect(isSigned(body, 's', text)).toBe(false);
});

test('a repeated request is known by the id that its sender gave it', () => {
  expect(requestIdOf({ 'webhook-id': 'msg_1', 'idempotency-key': 'k' })).toBe('msg_1');
  expect(requestIdOf({ 'idempotency-key': 'k' })).toBe('k');
  expect(requestIdOf({})).toBeUndefined();
  // Not one that all requests of a sender without ids have.
  expect(requestIdOf({ 'webhook-id': '', 'idempotency-key': 'k' })).toBe('k');
  expect(requestIdOf({ 'webhook-id': '', 'idempotency-key': '' })).toBeUndefined();
});

test('the depth of a chain grows with each run that causes the next', () => {
  const runId = '0193e2a0-0000-7000-8000-00000000000a';
  const actor = { kind: 'api_key', id: `run/${runId}:3` } as const;
  expect(chainDepthAfter({ actor: chainActor({ runId, chainDepth: 3 }) })).toBe(4);
  expect(chainDepthAfter({ actor })).toBe(0);
  expect(chainDepthAfter({ actor, chainDepth: 5 })).toBe(6);
  expect(chainDepthAfter({ actor: { kind: 'automation', id: '12' } })).toBe(0);
});

test('a request says how deep the run is that makes it; one of others is the beginning', () => {
  expect(chainDepthOfRequest({ [chainHeader]: '3' })).toBe(4);
  expect(chainDepthOfRequest({})).toBe(0);
  for (const text of ['', '-1', '3.5', '1e3', '1000', 'x'])
    expect(chainDepthOfRequest({ [chainHeader]: text })).toBe(0);
});
