import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';

const key = () => ({ 'idempotency-key': randomUUID() });

test('20 parallel requests with one key have one effect and one answer, byte-equal, and so do replays', async () => {
  const [first, second] = accountApis(await freshAccount());
  const headers = key();
  const send = (n: number) => (n % 2 ? first : second).post('/api/user/folder', { name: 'Once' }, headers);
  const parallel = await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)));
  const running = parallel.filter(({ status }) => status === 409);
  const done = parallel.filter(({ status }) => status === 201);
  expect(done.length).toBeGreaterThanOrEqual(1);
  expect(running.length + done.length).toBe(20);
  const replays = await Promise.all([send(0), send(1)]);
  for (const replay of replays) {
    expect(replay.status).toBe(201);
    expect(replay.headers['idempotent-replayed']).toBe('true');
  }
  expect(new Set([...done, ...replays].map(({ text }) => text)).size).toBe(1);
  // Of a slow service the gateway itself asks another copy, which may have the answer of the first one.
  const originals = done.filter(({ headers: h }) => h['idempotent-replayed'] === undefined);
  expect(originals.length).toBeLessThanOrEqual(1);
  expect((await first.get('/api/user/folders')).body).toMatchObject({ total: 1 });
});

test('the same key with another body, or on another path, is refused and changes nothing', async () => {
  const [api] = accountApis(await freshAccount());
  const headers = key();
  const created = await api.post('/api/user/folder', { name: 'A' }, headers);
  const { id } = (created.body as { data: { id: number } }).data;
  expect(await api.post('/api/user/folder', { name: 'B' }, headers)).toMatchObject({
    status: 422,
    body: { error: 'idempotency_key_reuse' },
  });
  const rename = key();
  const other = await api.post('/api/user/folder', { name: 'C' });
  const otherId = (other.body as { data: { id: number } }).data.id;
  expect((await api.put(`/api/user/folder/${id}`, { name: 'A2' }, rename)).status).toBe(200);
  expect((await api.put(`/api/user/folder/${otherId}`, { name: 'A2' }, rename)).status).toBe(422);
  expect((await api.get('/api/user/folders')).body).toMatchObject({ total: 2 });
});

test('a body with its fields in another order is the same request', async () => {
  const [api] = accountApis(await freshAccount());
  const headers = key();
  const first = await api.call('POST', '/api/user/folder', { raw: '{"name":"A","color":"red"}', headers });
  const again = await api.call('POST', '/api/user/folder', { raw: '{ "color":"red", "name":"A" }', headers });
  expect(again.text).toBe(first.text);
});

test('keys belong to an account and an operation', async () => {
  const headers = key();
  const [one] = accountApis(await freshAccount());
  const [two] = accountApis(await freshAccount());
  expect((await one.post('/api/user/folder', { name: 'A' }, headers)).status).toBe(201);
  expect((await two.post('/api/user/folder', { name: 'B' }, headers)).status).toBe(201);
  expect((await one.post('/api/user/label', { name: 'A' }, headers)).status).toBe(201);
});

test('after a validation failure or a rejection the corrected request may use the same key', async () => {
  const [api] = accountApis(await freshAccount());
  const headers = key();
  expect((await api.post('/api/user/folder', { name: '' }, headers)).status).toBe(422);
  await api.post('/api/user/folder', { name: 'Taken' });
  expect((await api.post('/api/user/folder', { name: 'Taken' }, headers)).status).toBe(422);
  expect((await api.post('/api/user/folder', { name: 'Free' }, headers)).status).toBe(201);
});

test.each([
  ['empty', ''],
  ['longer than 255 characters', 'k'.repeat(256)],
])('a key that is %s is refused', async (_, value) => {
  const [api] = accountApis(await freshAccount());
  expect((await api.post('/api/user/folder', { name: 'A' }, { 'idempotency-key': value })).status).toBe(422);
});

test('a delete is replayed too', async () => {
  const [api] = accountApis(await freshAccount());
  const { id } = ((await api.post('/api/user/folder', { name: 'A' })).body as { data: { id: number } }).data;
  const headers = key();
  const first = await api.delete(`/api/user/folder/${id}`, headers);
  const again = await api.delete(`/api/user/folder/${id}`, headers);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect((await api.delete(`/api/user/folder/${id}`)).status).toBe(404);
});
