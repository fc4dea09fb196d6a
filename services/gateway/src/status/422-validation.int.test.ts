import { expect, test } from 'vitest';
import { startPlatform } from '../platform.fixture.ts';

const { call, asked } = await startPlatform();
const nested = (depth: number) => `{"name":"a","deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

test.each([
  ['nothing', undefined, 'name', 'The name field is required.'],
  ['no name', '{}', 'name', 'The name field is required.'],
  ['an empty name', '{"name":""}', 'name', 'The name field is required.'],
  ['no text', '{"name":5}', 'name', 'The name field must be a string.'],
  [
    '300 characters',
    `{"name":"${'x'.repeat(300)}"}`,
    'name',
    'The name field must not be greater than 255 characters.',
  ],
  [
    '256 astral characters',
    `{"name":"${'😀'.repeat(256)}"}`,
    'name',
    'The name field must not be greater than 255 characters.',
  ],
  [
    'a NUL',
    '{"name":"a\\u0000"}',
    'name',
    'The name field must be well-formed Unicode without NUL characters.',
  ],
  [
    'a lone surrogate',
    '{"name":"\\udc00"}',
    'name',
    'The name field must be well-formed Unicode without NUL characters.',
  ],
  [
    'a NUL elsewhere',
    '{"name":"a","x":{"y":"\\u0000"}}',
    'x.y',
    'The x.y field must be well-formed Unicode without NUL characters.',
  ],
  [
    'an unknown color',
    '{"name":"a","color":"mauve"}',
    'color',
    'The selected color is invalid; it must be one of gray, slate, red, orange, amber, green, teal, blue, purple, pink.',
  ],
  ['a key twice', '{"name":"a","name":"b"}', 'name', 'The name field is given more than once.'],
  [
    'a prototype',
    '{"name":"a","__proto__":{"admin":true}}',
    '__proto__',
    'The key __proto__ is not allowed.',
  ],
  ['33 levels', nested(33), 'body', 'The body must not be nested deeper than 32 levels.'],
  ['a list', '[]', 'body', 'The body must be a JSON object.'],
  ['null', 'null', 'body', 'The body must be a JSON object.'],
  ['what the service refuses', '{"name":"taken"}', 'name', 'The name has already been taken.'],
])('a folder of %s is invalid, and the answer says why', async (_, rawBody, field, message) => {
  const answer = await call('POST', '/api/user/folder', rawBody === undefined ? {} : { rawBody });
  expect(answer.status).toBe(422);
  expect(answer.text).toBe(
    JSON.stringify({ message: 'The given data was invalid.', errors: { [field]: [message] } }),
  );
});

test.each([
  ['page=0', 'page'],
  ['page=x', 'page'],
  ['page=1&page=2', 'page'],
  ['page=1.5', 'page'],
  ['page=99999999999999999999', 'page'],
  ['per_page=0', 'per_page'],
  ['per_page=101', 'per_page'],
  ['per_page=', 'per_page'],
  ['per_page=%00', 'per_page'],
  ['per_page=%zz', 'per_page'],
])('a list with %s is invalid', async (query, field) => {
  const { status, json } = await call('GET', `/api/user/folders?${query}`);
  expect(status).toBe(422);
  expect(Object.keys(Object(json).errors)).toEqual([field]);
});

test('32 levels and 255 astral characters are fine', async () => {
  expect((await call('POST', '/api/user/folder', { rawBody: nested(32) })).status).toBe(201);
  expect((await call('POST', '/api/user/folder', { body: { name: '😀'.repeat(255) } })).status).toBe(201);
});

test('fields that the operation does not know never reach the service', async () => {
  await call('POST', '/api/user/folder', {
    body: { name: 'a', id: 7, user_id: 7, constructor: { prototype: 1 } },
  });
  expect(asked.at(-1)?.payload).toEqual({ name: 'a' });
  expect(Object.keys(Object.prototype)).toEqual([]);
});
