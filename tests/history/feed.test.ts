import { eventually, startStack } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';
import { openFeed } from '../support/event-feed.ts';

const [url = '', otherUrl = ''] = gatewayUrls();
const path = '/api/user/events';

test('events come as they happen, through any gateway, in the order of the log', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const feeds = [await openFeed(url, account.key, path), await openFeed(otherUrl, account.key, path)];
  for (let n = 0; n < 20; n += 1) await api.post('/api/user/folder', { name: `Folder ${n}` });
  const { data } = (await api.get(`${path}?limit=500`)).body as { data: Record<string, unknown>[] };
  for (const feed of feeds) {
    expect([feed.status, feed.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await eventually(() => expect(feed.events.map((event) => event.data)).toEqual(data));
    expect(feed.events.map(({ id }) => id)).toEqual(data.map(({ position }) => position));
    feed.close();
  }
});

test('a client that was cut off resumes behind the last event it has seen', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const first = await openFeed(url, account.key, `${path}?types=FolderCreated`);
  await api.post('/api/user/folder', { name: 'One' });
  await eventually(() => expect(first.events).toHaveLength(1));
  first.close();
  await api.post('/api/user/folder', { name: 'Two' });
  const second = await openFeed(
    otherUrl,
    account.key,
    `${path}?types=FolderCreated&after=0`,
    first.events[0]?.id,
  );
  await eventually(() => expect(second.events.map(({ data }) => data.data)).toMatchObject([{ name: 'Two' }]));
  second.close();
});

test('a deleted key ends its feed; without a good key or query there is none', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const { api_key } = (await api.post('/api/user/api-keys', { name: 'feed' })).body as {
    api_key: { id: number; token: string };
  };
  const feed = await openFeed(url, api_key.token, path);
  await api.delete(`/api/user/api-keys/${api_key.id}`);
  await feed.ended;
  expect((await openFeed(url, api_key.token, path)).status).toBe(401);
  expect((await openFeed(url, account.key, `${path}?types=;`)).status).toBe(422);
});

test('a gateway that leaves ends its feeds at once and cleanly', async () => {
  const stack = await startStack({ hasDemo: true });
  const [account] = stack.accounts;
  const api = comingBack(createApi(stack.baseUrl, account?.apiKey));
  const feed = await openFeed(stack.baseUrl, account?.apiKey ?? '', path);
  await api.post('/api/user/folder', { name: 'Last' });
  await eventually(() => expect(feed.events.at(-1)?.data.data).toMatchObject({ name: 'Last' }));
  await stack.stop();
  await feed.ended;
  expect(feed.events.map(({ id }) => id)).toEqual(feed.events.map((_, index) => index + 1));
});
