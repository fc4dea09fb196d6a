import { operations } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { isFaultOf } from '../support/error-bodies.ts';

const astral = '\u{1F4DE}';
const accepted: [string, string][] = [
  ['255 characters', 'x'.repeat(255)],
  ['255 astral characters', astral.repeat(255)],
  ['a right-to-left override', 'a\u202Eb'],
  ['a zero-width joiner', 'a\u200Db'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['SQL', "' OR 1=1 --"],
  ['a template', '{{1}}'],
  ['a parameter', '$1'],
  ['subject wildcards', '*.>'],
  ['quotes, backslashes and line breaks', '"\\\n\r\t'],
  ['a leading BOM', '\uFEFFname'],
];
const refused: [string, unknown][] = [
  ['256 characters', 'x'.repeat(256)],
  ['300 characters', 'x'.repeat(300)],
  ['256 astral characters', astral.repeat(256)],
  ['NUL', 'a\u0000b'],
  ['the empty string', ''],
  ['null', null],
  ['a number', 1],
  ['2^63', 2 ** 63],
  ['1e21', 1e21],
  ['true', true],
  ['an array', []],
  ['an object', {}],
];

describe.each(['folder', 'label'])('the name of a %s', (noun) => {
  test.each(accepted)('may be %s and comes back as it was', async (_, name) => {
    const [api, other] = accountApis(await freshAccount());
    const created = await api.post(`/api/user/${noun}`, { name });
    expect(created.status).toBe(201);
    const list = (await other.get(`/api/user/${noun}s`)).body as { data: { name: string }[] };
    expect(list.data.map((row) => row.name)).toEqual([name]);
  });

  test.each(refused)('may not be %s', async (_, name) => {
    const [api] = accountApis(await freshAccount());
    const answer = await api.post(`/api/user/${noun}`, { name });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      message: 'The given data was invalid.',
      errors: { name: [expect.any(String)] },
    });
  });

  test('may not be a lone surrogate', async () => {
    const [api] = accountApis(await freshAccount());
    const answer = await api.call('POST', `/api/user/${noun}`, { raw: '{"name":"a\\ud800b"}' });
    expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([422, ['name']]);
  });
});

test('an unknown color is refused by field', async () => {
  const [api] = accountApis(await freshAccount());
  for (const color of ['mauve', '', 1, [], 'RED']) {
    const answer = await api.post('/api/user/folder', { name: 'A', color });
    expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([
      422,
      ['color'],
    ]);
  }
});

test('fields that nobody asked for change nothing', async () => {
  const [api] = accountApis(await freshAccount());
  const extra = {
    id: 7,
    user_id: 1,
    account_id: 1,
    assistants_count: 99,
    status: 'x',
    constructor: { prototype: 1 },
  };
  const created = await api.post('/api/user/folder', { name: 'A', ...extra });
  expect(created.body).toMatchObject({ data: { name: 'A', color: null, assistants_count: 0 } });
  expect((created.body as { data: { id: number } }).data.id).not.toBe(987_654);
});

test('hostile paging is refused by field', async () => {
  const [api] = accountApis(await freshAccount());
  for (const query of [
    'page=0',
    'page=-1',
    'page=1.5',
    'page=abc',
    'page=',
    'page=99999999999999999999',
    'per_page=0',
    'per_page=101',
    'page=1&page=2',
  ]) {
    const answer = await api.get(`/api/user/folders?${query}`);
    expect([query, answer.status]).toEqual([query, 422]);
    expect(answer.body).toMatchObject({ message: 'The given data was invalid.', errors: expect.any(Object) });
  }
});

const withBody = operations.filter(({ body }) => body);

describe.each(withBody.map((operation) => [operation.name, operation] as const))(
  'the body of %s',
  (_, operation) => {
    const send = async (raw: string | Buffer, headers: Record<string, string> = {}) => {
      const [api] = accountApis(await freshAccount());
      return api.call(operation.method, operation.path.replace(/\{\w+\}/, '1'), { raw, headers });
    };

    test.each([
      ['malformed JSON', '{"name":', 400],
      ['a prototype key', '{"name":"a","__proto__":{"x":1}}', 422],
      ['256 KiB and one byte', JSON.stringify({ name: 'x'.repeat(256 * 1024) }), 413],
      ['1 MiB', JSON.stringify({ name: 'x'.repeat(1024 * 1024) }), 413],
      ['100 levels deep', `{"name":${'['.repeat(100)}${']'.repeat(100)}}`, 422],
      ['a JSON array', '[]', 422],
      ['a JSON string', '"name"', 422],
      ['JSON null', 'null', 422],
    ])('may not be %s', async (_, raw, status) => {
      const answer = await send(raw);
      expect([answer.status, isFaultOf(operation, status, answer.body)]).toEqual([status, true]);
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
      'may not be %s',
      async (contentType) => {
        const answer = await send('{"name":"A"}', { 'content-type': contentType });
        expect([answer.status, isFaultOf(operation, 415, answer.body)]).toEqual([415, true]);
      },
    );
  },
);
