import { type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../support/api.ts';
import { createFolder, folderNames } from './folders.ts';

let stacks: readonly RunningStack[] = [];

beforeAll(async () => {
  stacks = await Promise.all([startStack(), startStack()]);
});

afterAll(() => Promise.all(stacks.map((stack) => stack.stop())));

test('two stacks on one machine know nothing of each other', async () => {
  const [first, second] = stacks;
  if (!first || !second) throw new Error('Two stacks were started.');
  await createFolder(first, 'Only in the first');
  expect(await folderNames(second)).toEqual(['Support']);
  const strangerKey = first.accounts[0]?.apiKey;
  expect((await createApi(second.baseUrl, strangerKey).get('/api/user/me')).status).toBe(401);
});

test('stopping one leaves the other as it is', async () => {
  const [first, second] = stacks;
  await first?.stop();
  if (second) await createFolder(second, 'Still here');
});
