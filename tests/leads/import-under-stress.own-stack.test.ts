import { randomUUID } from 'node:crypto';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount, type TestAccount } from '../support/accounts.ts';
import { type Answer, createApi } from '../support/api.ts';
import { makeCampaign, phoneNumber } from '../support/campaigns.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(async () => {
  await stack?.stop();
});

async function newAccount(): Promise<TestAccount> {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const account = await registerTestAccount(bus);
  await bus.close();
  return account;
}
const apiOf = ({ key }: TestAccount) => comingBack(createApi(stack.baseUrl, key));
const importInto = (account: TestAccount, campaignId: number, file: string, key: string): Promise<Answer> =>
  apiOf(account).call('POST', `/api/user/leads/import?campaign_id=${campaignId}`, {
    raw: file,
    headers: { 'content-type': 'text/csv', 'idempotency-key': key },
  });
const fileOf = (rows: number) =>
  `phone_number,name,city\n${Array.from({ length: rows }, (_, n) => `${phoneNumber(n)},Lead ${n},Hamburg`).join('\n')}`;
const leadsOf = async ({ id }: TestAccount) => {
  const [row] = await readRowsOf<{ leads: string; numbers: string }>(
    stack.databaseUrl,
    'assistants',
    `select count(*) as leads, count(distinct data ->> 'phone_number') as numbers from es.events
     where account_id = ${id} and type = 'LeadCreated'`,
  );
  return { leads: Number(row?.leads), numbers: Number(row?.numbers) };
};

test.each(['assistants', 'gateway', 'nats', 'postgres'])(
  'an import whose %s is killed halfway is completed by sending it again, each row once',
  async (victim) => {
    const account = await newAccount();
    const { id } = await makeCampaign(apiOf(account));
    const key = randomUUID();
    const file = fileOf(3_000);
    const first = importInto(account, id, file, key).catch(() => undefined);
    await eventually(async () => expect((await leadsOf(account)).leads).toBeGreaterThan(500));
    await stack.signal(victim, 'SIGKILL');
    await first;
    const answer = await eventually(async () => {
      const again = await importInto(account, id, file, key);
      expect(again.status).toBe(200);
      return again;
    });
    expect(answer.body).toMatchObject({ data: { created: 3_000, skipped: 0, failed: 0, errors: [] } });
    expect(await leadsOf(account)).toEqual({ leads: 3_000, numbers: 3_000 });
    expect((await importInto(account, id, file, key)).text).toBe(answer.text);
  },
);
