import { operations } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../gateway.fixture.ts';
import { createCall, startPlatform } from '../platform.fixture.ts';

const platform = await startPlatform();
const { call, keys } = platform;

describe('without a valid key', () => {
  const authorizations = {
    none: null,
    'an empty one': '',
    'another scheme': `Basic ${btoa('user:password')}`,
    'no token': 'Bearer ',
    'two tokens': `Bearer ${platform.key} ${platform.key}`,
    'control characters': 'Bearer a\tb',
    'a token beyond any length': `Bearer ${'x'.repeat(600)}`,
    'an unknown token': `Bearer ${'x'.repeat(43)}`,
    'a valid token’s beginning': `Bearer ${platform.key.slice(0, -1)}`,
  };

  test.each(Object.entries(authorizations))(
    'every operation answers the same bytes: %s',
    async (_, value) => {
      for (const { method, path } of operations) {
        const answer = await call(method, path.replace('{id}', '1'), {
          key: null,
          headers: value === null ? {} : { authorization: value },
        });
        expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}']);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );

  test('nothing of the body is looked at', async () => {
    const bodies = ['{', `{"name":"${'x'.repeat(300_000)}"}`];
    for (const rawBody of bodies)
      expect((await call('POST', '/api/user/folder', { key: null, rawBody })).text).toBe(
        '{"error":"Unauthorized"}',
      );
    expect((await call('GET', '/api/user/folders?page=x', { key: null })).status).toBe(401);
    expect((await call('DELETE', '/api/user/folder/%zz', { key: null })).status).toBe(401);
  });
});

test('the scheme’s letters may be small', async () => {
  const answer = await call('GET', '/api/user/me', {
    key: null,
    headers: { authorization: `bearer ${platform.key}` },
  });
  expect(answer.status).toBe(200);
});

test('a deleted key is refused at once, on every gateway, whatever is under way', async () => {
  const other = await startTestGateway({ natsUrl: platform.bus.url });
  const key = keys.issue();
  const gateways = [createCall(platform.url, key), createCall(other.url, key)];
  let isDeleted = false;
  const seen = { before: 0, after: 0 };
  const hammer = async (client: number) => {
    for (let late = 0; late < 30; ) {
      const startedAfter = isDeleted;
      const { status } = (await gateways[client % 2]?.('GET', '/api/user/me')) ?? { status: 0 };
      if (startedAfter) expect(status).toBe(401);
      seen[startedAfter ? 'after' : 'before'] += 1;
      late += startedAfter ? 1 : 0;
      if (seen.before === 100)
        void keys.delete(key).then(() => {
          isDeleted = true;
        });
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, client) => hammer(client)));
  await other.close();
  expect(seen.after).toBe(600);
});

test('a gateway that hears nothing of a deletion goes by the key no longer than accounts waits', async () => {
  const other = await startTestGateway({ natsUrl: platform.bus.url });
  const key = keys.issue();
  const list = async () => (await createCall(other.url, key)('GET', '/api/user/folders')).status;
  await untilKnown(list);
  const answerAgain = keys.hold();
  await keys.delete(key);
  const answers = Array.from({ length: 10 }, list);
  answerAgain();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([401]));
  await other.close();
});

/** Until an answer needs no look-up. */
async function untilKnown(call: () => Promise<number>): Promise<void> {
  for (let lookUps = -1; lookUps !== keys.lookUps; ) {
    lookUps = keys.lookUps;
    expect(await call()).toBe(200);
  }
}

test('a key works from the moment it is made, whatever was asked about it before', async () => {
  const list = async (key: string) => (await call('GET', '/api/user/folders', { key })).status;
  await untilKnown(() => list(platform.key));
  expect(await list(keys.issue())).toBe(200);
});

test('a query is asked while its key is looked up, and its answer is for a good key only; a command waits', async () => {
  const key = keys.issue();
  const list = () => call('GET', '/api/user/folders', { key });
  const create = () => call('POST', '/api/user/folder', { key, body: { name: 'Sales' } });
  expect((await list()).status).toBe(200);
  await keys.delete(key);
  const before = platform.asked.length;
  const answers = [await list(), await create(), await list()];
  expect(answers.map(({ text }) => text)).toEqual(answers.map(() => '{"error":"Unauthorized"}'));
  // The key was good before, so the first list was asked; what it found went to nobody, and no guess was left.
  await call('POST', '/api/user/folder', { body: { name: 'Sales' } });
  expect(platform.asked.slice(before).map(({ payload }) => payload)).toEqual([
    { page: 1, per_page: expect.any(Number) },
    { name: 'Sales' },
  ]);
});
