import { expect, test } from 'vitest';
import { startPlatform } from '../platform.fixture.ts';

const { call, asked } = await startPlatform();
const update = (etag: string) =>
  call('PUT', '/api/user/folder/1', { body: { name: 'b' }, headers: { 'if-match': etag } });

test('a change of the expected version is made', async () => {
  expect((await update('"3"')).status).toBe(200);
  expect((await update('*')).status).toBe(200);
});

test.each(['"3", "2"', '"999", "3"', 'W/"2","3"'])(
  'a change of one of the versions %s is made once',
  async (etag) => {
    const before = asked.length;
    expect((await update(etag)).status).toBe(200);
    const expected = asked.slice(before).map(({ context }) => context.expectedVersion);
    expect(expected.at(-1)).toBe(3);
    expect(expected.filter((version) => version === 3)).toHaveLength(1);
  },
);

test.each(['"2"', 'W/"3"', '3', '"x"', '"4", "2"', '3, "3"', '"1", W/"3"'])(
  'a change of the version %s is refused',
  async (etag) => {
    const { status, json } = await update(etag);
    expect([status, json]).toEqual([412, { message: 'The resource was changed since the given version.' }]);
  },
);

test('creations expect no version', async () => {
  await call('POST', '/api/user/folder', { body: { name: 'a' }, headers: { 'if-match': '"3"' } });
  expect(asked.at(-1)?.context.expectedVersion).toBeNull();
});
