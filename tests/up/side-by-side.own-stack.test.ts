import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createStackHome, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';
import { createFolder, folderNames } from './folders.ts';

let stacks: readonly RunningStack[] = [];
let roomyHome: string;

beforeAll(async () => {
  roomyHome = await createStackHome();
  const remoteHome = join(roomyHome, 'a home that is too far down for a socket '.repeat(3));
  await mkdir(remoteHome);
  stacks = await Promise.all([
    startStack({ hasDemo: true }),
    startStack({ hasDemo: true, home: remoteHome }),
  ]);
});

afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.stop()));
  await rm(roomyHome, { recursive: true, force: true });
});

test('their services reach Postgres through a socket where the path allows one, and over TCP where not', () => {
  expect(stacks.map(({ databaseUrl }) => new URL(databaseUrl).hostname)).toEqual([
    expect.stringMatching(/^%2F.+%2Fpostgres$/),
    '127.0.0.1',
  ]);
});

test('two stacks on one machine know nothing of each other', async () => {
  const [first, second] = stacks;
  if (!first || !second) throw new Error('Two stacks were started.');
  await createFolder(first, 'Only in the first');
  expect(await folderNames(second)).toEqual(['Support']);
  const strangerKey = first.accounts[0]?.apiKey;
  const stranger = comingBack(createApi(second.baseUrl, strangerKey));
  expect((await stranger.get('/api/user/me')).status).toBe(401);
});

test('stopping one leaves the other as it is', async () => {
  const [first, second] = stacks;
  await first?.stop();
  if (second) await createFolder(second, 'Still here');
});
