import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startPlatform } from '../platform.fixture.ts';

const platform = await startPlatform();
const { call, asked } = platform;

describe('an operation', () => {
  test('passes the service’s answer on byte by byte, with the operation’s status', async () => {
    const { status, text, headers } = await call('POST', '/api/user/folder', {
      body: { name: 'Ünïcode 😀' },
    });
    expect(status).toBe(201);
    expect(text).toMatch(/^\{"message":"Folder created","data":\{"id":\d+, {2}"name":"Ünïcode 😀"/);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text));
  });

  test('tells the service who asks, on what occasion and where', async () => {
    const key = platform.keys.issue();
    await call('PUT', '/api/user/folder/1?ignored=1', {
      key,
      body: { name: 'b', user_id: 1 },
      headers: {
        'x-request-id': 'request-7',
        'if-match': '"3"',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    });
    const { keys } = await platform.keys.resolve([hash('sha256', key, 'hex')]);
    const [{ account_id, api_key_id } = { account_id: 0, api_key_id: 0 }] = keys.filter(
      (found) => found !== null,
    );
    expect(asked.at(-1)).toEqual({
      payload: { id: 1, name: 'b' },
      context: {
        accountId: account_id,
        actor: { kind: 'api_key', id: String(api_key_id) },
        commandId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        fingerprint: null,
        correlationId: 'request-7',
        expectedVersion: 3,
        baseUrl: platform.url,
        timeoutMs: expect.any(Number),
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    });
  });

  test('reads paths, queries and bodies as the contract says', async () => {
    const { json } = await call('GET', '/api/user/folders?page=2&per_page=100&other=x');
    expect(json).toEqual({ data: [], payload: { page: 2, per_page: 100 } });
    expect((await call('GET', '/api/user/folders')).json).toMatchObject({
      payload: { page: 1, per_page: 15 },
    });
  });

  test('without a body takes a content type with an empty one', async () => {
    const { status } = await call('DELETE', '/api/user/folder/1', {
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(200);
  });

  test('answers HEAD like GET, without a body', async () => {
    const { status, text, headers } = await call('HEAD', '/api/user/folders');
    expect([status, text]).toEqual([200, '']);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(0);
  });
});

describe('an answer', () => {
  test('of a command carries its position and the resource’s version', async () => {
    const { headers } = await call('PUT', '/api/user/folder/1', { body: {} });
    expect(headers.get('x-event-position')).toBe('42');
    expect(headers.get('etag')).toBe('"4"');
    const deleted = await call('DELETE', '/api/user/folder/1');
    expect(deleted.headers.get('x-event-position')).toBe('43');
    expect(deleted.headers.get('etag')).toBeNull();
  });

  test('carries the request id: the caller’s when it is well-formed, else a new one', async () => {
    const headersOf = async (id: string) =>
      (await call('GET', '/api/user/folders', { headers: { 'x-request-id': id } })).headers;
    expect((await headersOf('a_B-9')).get('x-request-id')).toBe('a_B-9');
    expect((await headersOf('a b')).get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('may not be sniffed, framed, cached or run', async () => {
    const { headers } = await call('GET', '/api/user/folders');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.any(String),
      'cache-control': 'no-store',
    });
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

test('many requests at once get each its own answer', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `folder ${index}`);
  const answers = await Promise.all(
    names.map((name) => call('POST', '/api/user/folder', { body: { name } })),
  );
  expect(answers.map(({ json }) => Object(json).data.name)).toEqual(names);
});
