import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { countRows } from '../support/database.ts';

/** Who is told to come back does not lose against itself. */
const keyOf = (n: number) => ({ 'idempotency-key': `request ${n}` });

test('of 100 concurrent creates of one name over two gateways and two copies, one wins and one row exists', async () => {
  const account = await freshAccount();
  const [first, second] = accountApis(account);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? first : second).post('/api/user/folder', { name: 'Contested' }, keyOf(n)),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status === 422);
  expect(refused).toHaveLength(99);
  for (const { body } of refused) {
    expect(body).toEqual({
      message: 'The given data was invalid.',
      errors: { name: ['The name has already been taken.'] },
    });
  }
  expect(await countRows('assistants', `select 1 from es.events where account_id = ${account.id}`)).toBe(1);
  expect((await first.get('/api/user/folders')).body).toMatchObject({ total: 1 });
});

test('of 20 concurrent renames onto one name, one wins', async () => {
  const account = await freshAccount();
  const [first, second] = accountApis(account);
  const created = await Promise.all(
    Array.from({ length: 20 }, (_, n) => first.post('/api/user/label', { name: `Label ${n}` })),
  );
  const ids = created.map(({ body }) => (body as { data: { id: number } }).data.id);
  const answers = await Promise.all(
    ids.map((id, n) => (n % 2 ? first : second).put(`/api/user/label/${id}`, { name: 'Taken' }, keyOf(n))),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
});

test('a name that was renamed away or deleted is free again', async () => {
  const [api] = accountApis(await freshAccount());
  const created = await api.post('/api/user/folder', { name: 'Old' });
  const { id } = (created.body as { data: { id: number } }).data;
  expect((await api.put(`/api/user/folder/${id}`, { name: 'New' })).status).toBe(200);
  const again = await api.post('/api/user/folder', { name: 'Old' });
  expect(again.status).toBe(201);
  await api.delete(`/api/user/folder/${id}`);
  expect((await api.post('/api/user/folder', { name: 'New' })).status).toBe(201);
});
