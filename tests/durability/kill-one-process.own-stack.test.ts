import { randomUUID } from 'node:crypto';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { type Answer, createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';

let stack: RunningStack;

beforeAll(async () => {
  stack = await startOwnStack({ copies: { gateway: 2, accounts: 2, assistants: 2 } });
});

afterAll(async () => {
  await stack?.stop();
});

const atLeast = 2_000;
const victims = ['assistants', 'gateway', 'accounts', 'assistants', 'nats', 'postgres'];
const isDefinite = ({ status }: Answer) =>
  status === 201 || (status >= 400 && status < 500 && status !== 409);

test('a gateway that stood still while a key was deleted does not accept it when it goes on', async () => {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const account = await registerTestAccount(bus);
  await bus.close();
  const [first = '', second = ''] = stack.gatewayUrls;
  const owner = comingBack(createApi(first, account.key));
  const created = await owner.post('/api/user/api-keys', { name: 'short-lived' });
  const { id, token } = (created.body as { api_key: { id: number; token: string } }).api_key;
  // Whoever stood still is behind at first, and says so.
  const client = comingBack(createApi(second, token));
  const act = async (n: number) =>
    (n % 2 ? await client.get('/api/user/folders') : await client.post('/api/user/folder', { name: `${n}` }))
      .status;
  for (let round = 0; round < 3; round += 1)
    expect(new Set(await Promise.all(Array.from({ length: 20 }, (_, n) => act(20 * round + n))))).toEqual(
      new Set([200, 201]),
    );
  await stack.signal('gateway-2', 'SIGSTOP');
  expect((await owner.delete(`/api/user/api-keys/${id}`)).status).toBe(200);
  const late = Promise.all(Array.from({ length: 40 }, (_, n) => act(100 + n)));
  await stack.signal('gateway-2', 'SIGCONT');
  expect(new Set(await late)).toEqual(new Set([401]));
});

test('kill -9 of any one process during 2,000 creations loses no acknowledged folder and makes none twice', async () => {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const account = await registerTestAccount(bus);
  await bus.close();
  let started = 0;
  let acknowledged = 0;
  let killed = 0;
  const unexpected: string[] = [];

  async function create(name: string): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    await eventually(async () => {
      const url = stack.gatewayUrls[Math.floor(Math.random() * stack.gatewayUrls.length)] ?? '';
      const answer = await createApi(url, account.key).post('/api/user/folder', { name }, headers);
      if (answer.status === 500) unexpected.push(answer.text);
      if (!isDefinite(answer)) throw new Error(`${answer.status} ${answer.text}`);
      if (answer.status !== 201) unexpected.push(`${answer.status} ${answer.text}`);
      acknowledged += 1;
    });
  }

  const clients = Array.from({ length: 16 }, async () => {
    // However quick the machine, every kill meets creations.
    while (started < atLeast || killed < victims.length) await create(`Folder ${started++}`);
  });
  for (const [index, victim] of victims.entries()) {
    const share = ((index + 1) * atLeast) / (victims.length + 1);
    await eventually(() => expect(acknowledged).toBeGreaterThanOrEqual(share));
    await stack.signal(victim, 'SIGKILL');
    killed += 1;
  }
  await Promise.all(clients);

  expect(unexpected).toEqual([]);
  const rows = await readRowsOf<{ name: string; times: string }>(
    stack.databaseUrl,
    'assistants',
    `select data->>'name' as name, count(*) as times from es.events
     where account_id = ${account.id} and type = 'FolderCreated' group by 1`,
  );
  expect(rows).toHaveLength(started);
  expect(rows.filter(({ times }) => times !== '1')).toEqual([]);
  const list = await comingBack(createApi(stack.gatewayUrls[0] ?? '', account.key)).get('/api/user/folders');
  expect(list.body).toMatchObject({ total: started });
});
