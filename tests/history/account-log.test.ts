import { createHash } from 'node:crypto';
import { topUpBalance } from '@parley/contracts';
import { expect, test } from 'vitest';
import { accountApis, ask, freshAccount, sharedBus, type TestAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';

interface Logged {
  readonly position: number;
  readonly event_id: string;
  readonly type: string;
  readonly service: string;
  readonly service_position: number;
  readonly request_id: string;
  readonly data: Record<string, unknown>;
}
interface Page {
  readonly data: readonly Logged[];
  readonly next_position: number;
  readonly has_more: boolean;
}

async function events(api: Api, query = ''): Promise<Page> {
  const answer = await api.get(`/api/user/events${query}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body as Page;
}

const topUp = async ({ id }: TestAccount) =>
  ask(await sharedBus(), topUpBalance, {
    account_id: id,
    amount_micros: 1_000_000,
    description: 'Card',
    reference: null,
  });

test('the log has the events of all services, at once after the answer, numbered from 1 without gaps', async () => {
  const account = await freshAccount();
  const [api, other] = accountApis(account);
  for (let n = 1; n <= 10; n += 1) {
    const made = await api.post('/api/user/folder', { name: `Folder ${n}` });
    await topUp(account);
    const { data } = await events(n % 2 ? api : other);
    expect(data.map(({ type }) => type).filter((type) => type === 'FolderCreated')).toHaveLength(n);
    // A service that was slow to tell its own has it behind that of the others.
    expect(data.slice(-2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ request_id: made.headers['x-request-id'], service: 'assistants' }),
        expect.objectContaining({ type: 'BalanceToppedUp', service: 'accounts' }),
      ]),
    );
    expect(data.map(({ position }) => position)).toEqual(data.map((_, index) => index + 1));
  }
});

test('the order never changes, whoever reads, from wherever, while it grows', async () => {
  const account = await freshAccount();
  const [api, other] = accountApis(account);
  const readers = [api, other, api, other].map(async (reader, index) => {
    const seen: Logged[] = [];
    let after = 0;
    for (let round = 0; round < 30; round += 1) {
      const page = await events(reader, `?after=${after}&limit=${index + 2}`);
      seen.push(...page.data);
      after = page.next_position;
    }
    return seen;
  });
  const writers = Array.from({ length: 10 }, (_, n) =>
    Promise.all([api.post('/api/user/label', { name: `Label ${n}` }), topUp(account)]),
  );
  await Promise.all(writers);
  const all = (await events(api, '?limit=500')).data;
  for (const seen of await Promise.all(readers)) expect(seen).toEqual(all.slice(0, seen.length));
  expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(all.length);
  for (const service of ['accounts', 'assistants']) {
    const own = all.filter((event) => event.service === service).map((event) => event.service_position);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
});

test('types narrow the log without changing positions; another account sees nothing of it', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const [stranger] = accountApis(await freshAccount());
  for (let n = 0; n < 3; n += 1) {
    await api.post('/api/user/folder', { name: `Folder ${n}` });
    await topUp(account);
  }
  const all = (await events(api)).data;
  const some = await events(api, '?types=FolderCreated,LabelCreated&limit=2');
  expect(some.data).toEqual(all.filter(({ type }) => type === 'FolderCreated').slice(0, 2));
  expect(some.has_more).toBe(true);
  const rest = await events(api, `?types=FolderCreated&after=${some.next_position}`);
  expect(rest.data).toHaveLength(1);
  expect(rest).toMatchObject({ next_position: all.length, has_more: false });
  expect((await events(stranger)).data.map(({ type }) => type)).toEqual([
    'AccountRegistered',
    'ApiKeyCreated',
  ]);
});

test('what a key did is found among all else, from wherever it is looked for, and nothing of others', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const { body } = await api.post('/api/user/api-keys', { name: 'leaked' });
  const { id, token } = (body as { api_key: { id: number; token: string } }).api_key;
  const [leaked] = accountApis({ ...account, key: token });
  await leaked.post('/api/user/folder', { name: 'Theirs' });
  for (let n = 0; n < 5; n += 1) await topUp(account);
  await leaked.post('/api/user/label', { name: 'Theirs' });
  await api.post('/api/user/folder', { name: 'Ours' });
  const all = (await events(api)).data;
  const theirs = all.filter(({ data }) => data.name === 'Theirs');
  expect(theirs).toMatchObject([{ type: 'FolderCreated' }, { type: 'LabelCreated' }]);
  expect(await events(api, `?actor=api_key:${id}`)).toMatchObject({ data: theirs, has_more: false });
  // A page of one event at a time goes on by itself to the next that this key did.
  const first = await events(api, `?actor=api_key:${id}&limit=1`);
  const second = await events(api, `?actor=api_key:${id}&limit=1&after=${first.next_position}`);
  expect([...first.data, ...second.data]).toEqual(theirs);
  const typed = await events(api, `?actor=api_key:${id}&types=LabelCreated`);
  expect(typed.data).toEqual(theirs.slice(1));
  expect((await events(api, '?actor=provider')).data).toEqual([]);
  expect((await events(api, `?actor=api_key:${id}&after=${all.length}`)).data).toEqual([]);
});

test('secrets and what is not an event of the contracts are never shown', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const { text } = await api.get('/api/user/events');
  expect(text).toContain('ApiKeyCreated');
  expect(text).not.toContain(createHash('sha256').update(account.key).digest('hex'));
  expect(text).not.toContain('sha256');
});

test.each([
  'after=-1',
  'after=1000000',
  'after=x',
  'limit=0',
  'limit=501',
  'types=a;b',
  'types=',
  'types=FolderCreated,Unheard',
  'actor=nobody',
])('%s is refused', async (query) => {
  const [api] = accountApis(await freshAccount());
  expect((await api.get(`/api/user/events?${query}`)).status).toBe(422);
});
