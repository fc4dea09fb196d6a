import { expect, test } from 'vitest';
import { startPlatform } from '../platform.fixture.ts';

const { call, asked } = await startPlatform();
const update = (etag: string) =>
  call('PUT', '/api/user/folder/1', { body: { name: 'b' }, headers: { 'if-match': etag } });

test('a change of the expected version is made', async () => {
  expect((await update('"3"')).status).toBe(200);
  expect((await update('*')).status).toBe(200);
});

test.each(['"2"', 'W/"3"', '3', '"x"', '"3", "2"'])('a change of the version %s is refused', async (etag) => {
  const { status, json } = await update(etag);
  expect([status, json]).toEqual([412, { message: 'The resource was changed since the given version.' }]);
});

test('creations expect no version', async () => {
  await call('POST', '/api/user/folder', { body: { name: 'a' }, headers: { 'if-match': '"3"' } });
  expect(asked.at(-1)?.context.expectedVersion).toBeNull();
});
