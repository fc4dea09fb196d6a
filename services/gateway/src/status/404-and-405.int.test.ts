import { describe, expect, test } from 'vitest';
import { startPlatform } from '../platform.fixture.ts';

const { call } = await startPlatform();

describe('an id that cannot exist', () => {
  const ids = [
    'abc',
    '0',
    '-1',
    '1.5',
    '01',
    '9223372036854775808',
    '2',
    '%zz',
    '%00',
    '%',
    'x'.repeat(101),
    'x'.repeat(5000),
    '..%2f1',
    '%F0%9F%98%80',
    '1%20',
  ];

  test.each(ids)('is answered like an unknown one: %s', async (id) => {
    const answer = await call('DELETE', `/api/user/folder/${id}`);
    expect([answer.status, answer.text]).toEqual([404, '{"message":"Folder not found"}']);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('comes before what is wrong with the body', async () => {
    const answer = await call('PUT', '/api/user/folder/abc', { body: { name: 5 } });
    expect([answer.status, answer.text]).toEqual([404, '{"message":"Folder not found"}']);
  });
});

test.each([
  '/',
  '/api',
  '/api/user',
  '/api/user/folder/',
  '/api/user/folder/1/2',
  '/API/user/folders',
  '/api/%zz',
  '//api/user/folders',
  '/api/user/../user/folders/x',
  '/hooks/automations',
  '/docs/static/nothing.js',
])('an unknown path is not found: %s', async (path) => {
  const answer = await call('GET', path);
  expect([answer.status, answer.text]).toEqual([404, '{"message":"Not found."}']);
});

test('an unknown path needs no body that can be read', async () => {
  const answer = await call('POST', '/nowhere', { rawBody: '{', headers: { 'content-type': 'text/xml' } });
  expect(answer.status).toBe(404);
});

test.each([
  ['GET', '/api/user/folder/1', 'DELETE, PUT'],
  ['PATCH', '/api/user/folder/1', 'DELETE, PUT'],
  ['POST', '/api/user/folders', 'GET, HEAD'],
  ['OPTIONS', '/api/user/folders', 'GET, HEAD'],
  ['PROPFIND', '/api/user/folders', 'GET, HEAD'],
  ['GET', '/hooks/automations/token', 'POST'],
  ['PUT', '/hooks/automations/token', 'POST'],
  ['DELETE', '/hooks/chat/whatsapp', 'GET, HEAD, POST'],
  ['POST', '/health/live', 'GET, HEAD'],
  ['POST', '/docs', 'GET, HEAD'],
  ['POST', '/docs/', 'GET, HEAD'],
])('%s on %s is not allowed, and the answer says what is', async (method, path, allowed) => {
  const answer = await call(method, path);
  expect([answer.status, answer.text]).toEqual([405, '{"message":"Method not allowed."}']);
  expect(answer.headers.get('allow')).toBe(allowed);
});
