import { issueApiKey } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, sharedPlace, voicePair } from '../chatapp-voice/voice-stack.ts';
import { accountApis, ask, type TestAccount } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { createAutomation, mapFlow, runsOf } from '../support/automations.ts';
import { makeCampaign, phoneNumber } from '../support/campaigns.ts';
import { advanceClock } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { runParley } from '../support/run-parley.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { platformTrunks } from '../support/sip-trunks.ts';
import { dataOfEvents } from '../support/sms.ts';
import { ownNumber } from '../support/telephony.ts';

async function parleyIn(home: string, args: readonly string[], input = '') {
  const { code: status, ...output } = await runParley(args, { PARLEY_HOME: home }, input);
  return { status, ...output };
}

let starting: Promise<RunningStack> | undefined;
let fresh: RunningStack;
let account: TestAccount;
let pair: Pair;
let phone_number: string;
let exported: string;
beforeAll(async () => {
  starting = startStack();
  pair = await voicePair(sharedPlace());
  account = { id: pair.accountId, key: pair.key };
  await pair.write();
  await pair.asked();
  await pair.reply('accept');
  await fill(pair.api);
  ({ phone_number } = await ownNumber(pair.api));
  const { status, stdout } = await parleyIn(sharedStack().home, ['export', '--account', String(account.id)]);
  expect(status).toBe(0);
  exported = stdout;
  fresh = await starting;
});
afterAll(async () => (await starting)?.stop());

async function fill(api: Api): Promise<void> {
  const created = await api.post('/api/user/folder', { name: 'Kept' });
  const { id } = (created.body as { data: { id: number } }).data;
  await api.put(`/api/user/folder/${id}`, { name: 'Kept and renamed' });
  await runFromTomorrow(api);
  const campaign = await makeCampaign(api);
  await api.post('/api/user/lead', { campaign_id: campaign.id, phone_number: phoneNumber(1) });
  const moved = await api.post('/api/user/lead', { campaign_id: campaign.id, phone_number: phoneNumber(3) });
  const { data: lead } = moved.body as { data: { id: number } };
  await api.put(`/api/user/leads/${lead.id}`, { phone_number: phoneNumber(4) });
  await api.post('/api/user/label', { name: 'VIP' });
  await api.post('/api/user/knowledgebases', { name: 'Prices', description: 'What it costs' });
  await api.post('/api/user/automate/connections', {
    name: 'CRM',
    kind: 'http_bearer',
    secret: 'never-leaves',
  });
  await createAutomation(api, {
    ...mapFlow(),
    trigger: { type: 'schedule', cron: '30 3 * * *', misfire: 'once' },
  });
}

/** A running campaign with a lead, that reaches out to nobody for the next 23 hours, and then for a day. */
async function runFromTomorrow(api: Api): Promise<void> {
  const opening = new Date(Date.now() + 23 * 3_600_000);
  const at = opening.toISOString().slice(11, 16);
  const windows = [{ days: [opening.getUTCDay() || 7], from: at, to: at }];
  const { id: campaign_id } = await makeCampaign(api, { channel: 'sms', body: 'Hello', windows });
  await api.post('/api/user/lead', { campaign_id, phone_number: phoneNumber(2) });
  await api.post('/api/user/campaigns/update-status', { campaign_id, action: 'start' });
}

const lines = () => exported.trimEnd().split('\n');

test('an export holds no secret, and an end that vouches for it', () => {
  expect(exported).not.toContain('token_sha256');
  expect(exported).not.toContain('never-leaves');
  expect(JSON.parse(lines().at(-1) ?? '')).toMatchObject({ end: { account_id: account.id } });
});

test.each([
  ['without its end', () => lines().slice(0, -1), 'cut off'],
  [
    'without an event of a stream',
    () => lines().filter((line) => !line.includes('"FolderCreated"')),
    'is missing',
  ],
  [
    'with a changed value',
    () => lines().map((line) => line.replace('Kept and', 'Changed and')),
    'were changed',
  ],
  [
    'with an event of nothing known',
    () => [lines()[0]?.replace('AccountRegistered', 'AccountSold')],
    'not know',
  ],
  ['with something else', () => ['hello'], 'is not a line of an export'],
])('a file %s is refused, and nothing is imported', async (_, changed, why) => {
  const { status, stderr } = await parleyIn(fresh.home, ['import'], `${changed().join('\n')}\n`);
  expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
});

test('an account goes into another installation whole: its events, its views and its names', async () => {
  const whole = lines().filter((line) => line.includes('"event_id"')).length;
  const first = await parleyIn(fresh.home, ['import', '--json'], exported);
  expect([first.status, first.stderr]).toEqual([0, expect.anything()]);
  expect(JSON.parse(first.stdout)).toEqual({ accounts: [account.id], imported: whole, present: 0 });
  const again = await parleyIn(fresh.home, ['import', '--json'], exported);
  expect(JSON.parse(again.stdout)).toEqual({ accounts: [account.id], imported: 0, present: whole });

  expect((await parleyIn(fresh.home, ['export', '--account', String(account.id)])).stdout).toBe(exported);
  const verified = await parleyIn(fresh.home, ['verify']);
  expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining('assistants/folders')]);

  const bus = await connectBusClient({ servers: fresh.natsUrl, name: 'tests' });
  const { token } = await ask(bus, issueApiKey, { account_id: account.id, name: 'new' });
  await bus.close();
  const there = comingBack(createApi(fresh.baseUrl, token ?? ''));
  const [here] = accountApis(account);
  const leads = '/api/user/leads';
  const permission = `/api/user/chatapp/voice/permission?sender_id=${pair.sender.id}&recipient_phone=${encodeURIComponent(pair.customer)}`;
  for (const path of ['/api/user/folders', '/api/user/labels', '/api/user/knowledgebases', leads, permission])
    await eventually(async () => expect((await there.get(path)).text).toBe((await here.get(path)).text));
  expect((await there.post('/api/user/folder', { name: 'Kept and renamed' })).status).toBe(422);
  // The names of people, too, which no table holds in the open.
  const [lead] = ((await there.get(leads)).body as { data: { campaign: { id: number } }[] }).data;
  for (const phone_number of [phoneNumber(1), phoneNumber(4)]) {
    const doubled = { campaign_id: lead?.campaign.id, phone_number };
    expect((await there.post('/api/user/lead', doubled)).status).toBe(422);
  }
  const added = await there.post('/api/user/folder', { name: 'New here' });
  expect(added.status).toBeLessThan(300);
  expect(lines().join()).not.toContain(`"folder-${(added.body as { data: { id: number } }).data.id}"`);
  const third = await parleyIn(fresh.home, ['import'], exported);
  expect([third.status, third.stderr]).toEqual([1, expect.stringContaining('is here already')]);
  // An old key opens nothing.
  const old = comingBack(createApi(fresh.baseUrl, account.key));
  expect((await old.get('/api/user/folders')).status).toBe(401);
});

test('what stands goes on there: senders follow the chat platform, schedules come, campaigns run, numbers are called', async () => {
  const bus = await connectBusClient({ servers: fresh.natsUrl, name: 'tests' });
  const { token } = await ask(bus, issueApiKey, { account_id: account.id, name: 'later' });
  await bus.close();
  const there = comingBack(createApi(fresh.baseUrl, token ?? ''));
  await advanceClock(86_400, fresh.sandboxUrl);
  // Its platform has never heard of the number.
  await eventually(async () =>
    expect((await there.get('/api/user/chatapp/senders?status=all')).body).toMatchObject({
      data: [{ status: 'offline' }],
    }),
  );
  await eventually(async () =>
    expect((await platformTrunks(fresh.sandboxUrl, { phone_number })).inbound).toHaveLength(1),
  );
  await eventually(async () =>
    expect(await dataOfEvents(there, 'LeadQueued')).toMatchObject([{ channel: 'sms' }]),
  );
  const { data } = (await there.get('/api/user/automate/flows')).body as { data: { id: string }[] };
  await eventually(async () => expect(await runsOf(there, data[0]?.id ?? '')).toHaveLength(1));
});

test('while a service does not answer nothing is exported, verified or called missing', async () => {
  await fresh.signal('messaging', 'SIGSTOP');
  try {
    const ask = (...args: string[]) => parleyIn(fresh.home, args);
    const commands = [
      ask('export', '--account', String(account.id)),
      ask('verify'),
      ask('audit', 'sender/1'),
    ];
    const [file, ...others] = await Promise.all(commands);
    expect([file?.status, file?.stderr]).toEqual([3, expect.stringContaining('messaging does not answer')]);
    expect(file?.stdout).not.toContain('"end"');
    expect(others.map(({ status }) => status)).toEqual([3, 3]);
  } finally {
    await fresh.signal('messaging', 'SIGCONT');
  }
});

/** A row that no event says, in a view of each service. */
const stray: readonly (readonly [service: string, view: string, insert: string])[] = [
  [
    'accounts',
    'accounts',
    "accounts (account_id, email, name, billing_unit) values (987654, 'x@y.z', 'X', 'credits')",
  ],
  [
    'assistants',
    'labels',
    'items (id, account_id, created_position, name_json) values (987654, 1, 1, \'"X"\')',
  ],
  [
    'messaging',
    'recipients',
    "recipients (message_id, sender_id, contact_phone, at) values (987654, 1, '+1', now())",
  ],
  ['telephony', 'numbers', 'numbers (id, account_id) values (987654, 1)'],
  [
    'automations',
    'connections',
    "items (id, account_id, created_position, version, item) values (987654, 1, 1, 1, '{}')",
  ],
];

test.each(stray)(
  'verify of a damaged view of %s (%s) ends with 1 and names the row',
  async (service, view, insert) => {
    const url = new URL(fresh.databaseUrl);
    url.pathname = `/parley_${service}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    const { rows } = await client.query('select schema_name from es.projections where name = $1', [view]);
    await client.query(`insert into ${rows[0].schema_name}.${insert}`);
    await client.end();
    const found = await parleyIn(fresh.home, ['verify', `${service}/${view}`]);
    expect([found.status, found.stdout]).toEqual([1, expect.stringContaining('987654')]);
    expect(found.stdout).toContain('(missing)');
    const rebuilt = await parleyIn(fresh.home, ['rebuild', `${service}/${view}`, '--json']);
    expect([rebuilt.status, rebuilt.stderr]).toEqual([0, expect.anything()]);
    expect((await parleyIn(fresh.home, ['verify', `${service}/${view}`])).status).toBe(0);
  },
);
