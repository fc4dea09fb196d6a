import { expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';

test('no request that starts after the deletion is answered succeeds, on any gateway', async () => {
  const [owner] = accountApis(await freshAccount());
  const created = await owner.post('/api/user/api-keys', { name: 'short-lived' });
  const { id, token } = (created.body as { api_key: { id: number; token: string } }).api_key;
  const clients = Array.from({ length: 50 }, (_, n) => createApi(gatewayUrls()[n % 2] ?? '', token));
  let deletedAt = Number.POSITIVE_INFINITY;
  let isOver = false;
  const late: number[] = [];
  let successesBefore = 0;
  const hammering = clients.map(async (client) => {
    while (!isOver) {
      const startedAt = performance.now();
      const { status } = await client.get('/api/user/folders');
      // A gateway that is behind tells nothing of the key.
      if (status === 503) continue;
      if (startedAt > deletedAt) late.push(status);
      else if (status === 200) successesBefore += 1;
    }
  });
  while (successesBefore < 100) await new Promise(setImmediate);
  expect((await owner.delete(`/api/user/api-keys/${id}`)).status).toBe(200);
  deletedAt = performance.now();
  while (late.length < 500) await new Promise(setImmediate);
  isOver = true;
  await Promise.all(hammering);
  expect(successesBefore).toBeGreaterThanOrEqual(100);
  expect(new Set(late)).toEqual(new Set([401]));
});

test('a missing, malformed, unknown and deleted key get the same bytes', async () => {
  const account = await freshAccount();
  const [owner] = accountApis(account);
  const { id, token } = (
    (await owner.post('/api/user/api-keys', { name: 'x' })).body as {
      api_key: { id: number; token: string };
    }
  ).api_key;
  await owner.delete(`/api/user/api-keys/${id}`);
  const url = gatewayUrls()[0] ?? '';
  const headers = [
    undefined,
    'Bearer',
    'Bearer ',
    'Basic abc',
    `Bearer ${'x'.repeat(40)}`,
    `Bearer ${token}`,
    token,
  ];
  const answers = await Promise.all(
    headers.map((authorization) =>
      comingBack(createApi(url)).get('/api/user/folders', {
        headers: authorization === undefined ? {} : { authorization },
      }),
    ),
  );
  for (const { status, text } of answers) {
    expect(status).toBe(401);
    expect(text).toBe('{"error":"Unauthorized"}');
  }
});

test('the token is shown once: neither the list nor a replay shows it', async () => {
  const [api] = accountApis(await freshAccount());
  const key = { 'idempotency-key': 'make-me-one' };
  const first = await api.post('/api/user/api-keys', { name: 'laptop' }, key);
  const replay = await api.post('/api/user/api-keys', { name: 'laptop' }, key);
  const { token, ...shown } = (first.body as { api_key: { token: string } }).api_key;
  expect(token).toMatch(/^parley_[\w-]{43}$/);
  expect(replay.headers['idempotent-replayed']).toBe('true');
  expect(replay.body).toEqual({
    message: (first.body as { message: string }).message,
    api_key: { ...shown, token: null },
  });
  const list = await api.get('/api/user/api-keys');
  expect(list.text).not.toContain(token);
});
