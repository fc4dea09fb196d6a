import { createHash, randomUUID } from 'node:crypto';
import { topUpBalance } from '@parley/contracts';
import { eventually } from '@parley/testing';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { conversationWith, readConversation } from '../chatapp/sending.ts';
import { sharedPlace, voicePair, voiceTemplate } from '../chatapp-voice/voice-stack.ts';
import { accountApis, ask, freshAccount, sharedBus } from '../support/accounts.ts';
import { createAutomation, onlyRun } from '../support/automations.ts';
import { type Call, callingAssistant } from '../support/calls.ts';
import { listOf, makeCampaign } from '../support/campaigns.ts';
import { chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { dealWith, greetingByName } from '../support/dealings.ts';
import { placesOf } from '../support/dump.ts';
import { parley } from '../support/parley.ts';
import { tellMessage, tellMove, tellPreference } from '../support/tell-message.ts';
import { freshRoom, talking, tell } from '../support/voice-callbacks.ts';

const json = async (...args: string[]): Promise<unknown> =>
  JSON.parse((await parley(...args, '--json')).stdout);

async function renamedFolder(): Promise<{ id: number; requestId: string }> {
  const [api] = accountApis(await freshAccount());
  const created = await api.post('/api/user/folder', { name: 'Before', color: 'teal' });
  const { id } = (created.body as { data: { id: number } }).data;
  const renamed = await api.put(`/api/user/folder/${id}`, { name: 'After' });
  return { id, requestId: String(renamed.headers['x-request-id']) };
}

test('audit tells who created and who renamed a folder, from what to what, and by which request', async () => {
  const { id, requestId } = await renamedFolder();
  const { status, output } = await parley('audit', `folder/${id}`);
  expect(status).toBe(0);
  for (const part of ['FolderCreated', 'FolderRenamed', 'api_key', '"Before"', '"After"', requestId]) {
    expect(output).toContain(part);
  }
});

test('state shows an earlier name at a version, a position and a time, and the difference to now', async () => {
  const { id } = await renamedFolder();
  const audit = (await json('audit', `folder/${id}`)) as {
    changes: { position: number; occurred_at: string; event: string }[];
  };
  const [creation] = audit.changes;
  for (const moment of ['v:1', `p:${creation?.position}`, String(creation?.occurred_at)]) {
    const state = (await json('state', `folder/${id}`, '--at', moment)) as { state: { name: string } };
    expect([moment, state.state.name]).toEqual([moment, 'Before']);
  }
  const { output } = await parley('state', `folder/${id}`, '--at', 'v:1', '--diff', 'v:2');
  expect(output).toContain('Before');
  expect(output).toContain('After');
});

test('a resource that is not there is a negative answer, not a failure', async () => {
  const { status, output } = await parley('audit', 'folder/999999999');
  expect([status, output]).toEqual([1, expect.stringContaining('folder/999999999')]);
  expect((await parley('audit', 'nonsense')).status).toBe(1);
  expect((await parley('audit')).status).toBe(2);
});

test('verify finds no drift in any projection of any service, whichever copy answers', async () => {
  await renamedFolder();
  const { status, output } = await parley('verify');
  expect([status, output]).toEqual([0, expect.stringContaining('assistants/folders')]);
});

test('rebuild leaves the list as it was while requests go on', async () => {
  const [api] = accountApis(await freshAccount());
  for (let n = 0; n < 5; n += 1) await api.post('/api/user/folder', { name: `F${n}` });
  const before = (await api.get('/api/user/folders')).text;
  let isOver = false;
  const failures: number[] = [];
  const reading = (async () => {
    while (!isOver) {
      const answer = await api.get('/api/user/folders');
      if (answer.text !== before) failures.push(answer.status);
    }
  })();
  expect((await parley('rebuild', 'folders')).status).toBe(0);
  expect(await parley('rebuild', 'elsewhere/assistants/folders')).toMatchObject({
    status: 1,
    output: expect.stringContaining('no projection elsewhere/assistants/folders'),
  });
  isOver = true;
  await reading;
  expect(failures).toEqual([]);
});

test('an operator makes an account, gives it a key, and puts money on its balance and takes it off, by one reference once', async () => {
  const email = `${randomUUID()}@example.com`;
  const registration = ['register', '--email', email, '--name', 'Ada'];
  const { account_id: id } = (await json(...registration)) as { account_id: number };
  expect(await parley(...registration)).toMatchObject({
    status: 1,
    output: expect.stringContaining('taken'),
  });
  const { output } = await parley('issue-key', '--account', String(id), '--name', 'first');
  const [api] = accountApis({ id, key: output.trim() });
  const topUp = (...args: string[]) =>
    parley('top-up', '--account', String(id), '--reference', 'invoice 7', ...args);
  for (const _ of [1, 2])
    expect(await topUp('--amount', '12.50')).toMatchObject({ status: 0, output: `account ${id}  12.50\n` });
  expect(await topUp('--amount', '13')).toMatchObject({
    status: 1,
    output: expect.stringContaining('booked'),
  });
  expect((await api.get('/api/user/me')).body).toMatchObject({ email, total_balance: '12.50' });
  const lines = (await api.get('/api/user/balance/transactions')).body;
  expect(lines).toMatchObject({ data: [{ type: 'top_up', amount: '12.50', reference: 'invoice 7' }] });
  const nobody = ['--account', '999999999', '--amount', '1', '--reference', 'x'];
  expect((await parley('top-up', ...nobody)).status).toBe(1);

  const debit = (...args: string[]) =>
    parley(
      'debit',
      '--account',
      String(id),
      '--reference',
      'invoice 7',
      '--description',
      'Chargeback',
      ...args,
    );
  for (const _ of [1, 2])
    expect(await debit('--amount', '20')).toMatchObject({ status: 0, output: `account ${id}  -7.50\n` });
  expect(await debit('--amount', '21')).toMatchObject({
    status: 1,
    output: expect.stringContaining('booked'),
  });
  expect((await api.get('/api/user/me')).body).toMatchObject({
    total_balance: '-7.50',
    available_balance: '-7.50',
  });
  const [newest] = ((await api.get('/api/user/balance/transactions')).body as { data: object[] }).data;
  const line = { type: 'adjustment', amount: '-20.00', balance_after: '-7.50', description: 'Chargeback' };
  expect(newest).toMatchObject({ ...line, reference: 'invoice 7' });
  expect((await parley('debit', ...nobody, '--description', 'x')).status).toBe(1);
});

test('events never show a token or its hash', async () => {
  const [api] = accountApis(await freshAccount());
  const created = await api.post('/api/user/api-keys', { name: 'secretive' });
  const { token } = (created.body as { api_key: { token: string } }).api_key;
  const { output } = await parley('events', '--type', 'ApiKeyCreated', '--json');
  expect(output).toContain('ApiKeyCreated');
  expect(output).not.toContain(token);
  expect(output).not.toContain(createHash('sha256').update(token).digest('hex'));
});

test('export gives every event of one account, of all services, with its id and without secrets', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  for (let n = 0; n < 3; n += 1) await api.post('/api/user/folder', { name: `Exported ${n}` });
  const log = ((await api.get('/api/user/events')).body as { data: { event_id: string }[] }).data;
  const { status, output } = await parley('export', '--account', String(account.id));
  expect(status).toBe(0);
  const lines = output.split('\n').filter((line) => line.includes('"event_id"'));
  const events = lines.map((line) => JSON.parse(line) as { event_id: string; account_id: number });
  expect(events.map(({ event_id }) => event_id).sort()).toEqual(log.map(({ event_id }) => event_id).sort());
  expect(new Set(events.map(({ account_id }) => account_id))).toEqual(new Set([account.id]));
  expect(output).not.toContain(createHash('sha256').update(account.key).digest('hex'));
  expect((await parley('export')).status).toBe(2);
});

test('an account that is not there is not exported', async () => {
  const { status, output } = await parley('export', '--account', '999999999');
  expect([status, output]).toEqual([1, 'account 999999999: Not found.\n']);
});

// In this file, because views differ from the log for as long as somebody is being erased.
test('a person who is erased is in no answer, log, table or stream, and everything still works', async () => {
  const pair = await voicePair(sharedPlace(), {}, [voiceTemplate, greetingByName]);
  const { accountId, api, customer, sender } = pair;
  const payment = { account_id: accountId, amount_micros: 90_000_000, description: 'Test', reference: null };
  await ask(await sharedBus(), topUpBalance, payment);
  const { automation_id: automation } = await createAutomation(api, {
    trigger: {
      type: 'conversation.message_received',
      sender_id: sender.id,
      filter: { op: 'exists', left: '{{trigger.message.text}}' },
    },
    steps: [
      {
        id: 'see',
        type: 'data.map',
        input: { text: '{{trigger.message.text}}', phone: '{{trigger.customer_phone}}' },
      },
    ],
  });
  const [canary, otherCanary] = [`ada-${randomUUID()}`, `bob-${randomUUID()}`];
  const other = freshCustomerNumber();
  const paths = await dealWith(pair, customer, canary);
  await pair.asked();
  await pair.reply('accept');
  const run = await onlyRun(api, automation, 'SUCCEEDED');
  const otherPaths = await dealWith(pair, other, otherCanary);
  const read = async (all: readonly string[]) =>
    (await Promise.all(all.map((path) => api.get(path)))).map(({ status, text }) => `${status} ${text}`);
  const permission = `permission/${sender.id}:${customer}`;
  expect((await parley('audit', permission)).status).toBe(0);
  // The search does find what is there.
  const untilAreWith = (all: readonly string[], phone: string) =>
    eventually(async () =>
      expect((await read(all)).filter((text) => text.includes(phone))).toHaveLength(all.length - 1),
    );
  await untilAreWith(paths, customer.slice(1));
  expect(await placesOf(customer.slice(1))).not.toEqual([]);

  const ofPerson = ['--account', String(accountId), '--subject', customer];
  const known = await parley('events', ...ofPerson, '--json');
  expect(known.status).toBe(0);
  for (const trace of [customer, canary]) expect(known.output).toContain(trace);
  for (const trace of [other, otherCanary]) expect(known.output).not.toContain(trace);

  const erased = await parley('erase', ...ofPerson);
  expect([erased.status, erased.output]).toEqual([0, expect.stringContaining('✔ messaging')]);
  expect(await parley('events', ...ofPerson)).toMatchObject({
    status: 0,
    output: 'There are no such events.\n',
  });

  for (const trace of [customer.slice(1), canary])
    expect([trace, await placesOf(trace)]).toEqual([trace, []]);
  const runPath = `/api/user/automate/flows/${automation}/runs?run_id=${run.id}`;
  for (const text of await read([...paths, ...otherPaths, runPath])) {
    expect(text).toMatch(/^200 /);
    expect(text).not.toContain(customer.slice(1));
    expect(text).not.toContain(canary);
  }
  await untilAreWith(otherPaths, other);
  expect((await api.get('/api/user/events?limit=500')).text).toContain('SubjectErased');
  expect((await parley('audit', permission)).status).toBe(1);
  expect((await parley('replay-run', String(run.id))).output).toMatch(/erased/i);
  const verified = await parley('verify');
  expect([verified.status, verified.output]).toEqual([0, expect.any(String)]);
  for (const projection of ['conversations', 'webhook_deliveries']) {
    const rebuilt = await parley('rebuild', projection);
    expect([projection, rebuilt.status, rebuilt.output]).toEqual([projection, 0, expect.any(String)]);
  }
  // Again is no mistake, and who comes back is somebody new.
  const again = await parley('erase', '--account', String(accountId), '--subject', customer, '--json');
  expect([again.status, again.output]).toEqual([0, expect.stringContaining('"leftovers": []')]);
  await pair.write();
  expect((await pair.permission()).status).not.toBe('granted');
});

test('a person who is erased by one spelling of their line is gone under the other', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const spellings = ['+5491134567890', '+541134567890'];
  // A campaign has a line once.
  for (const phone_number of spellings) {
    const { id: campaign_id } = await makeCampaign(api);
    expect((await api.post('/api/user/lead', { campaign_id, phone_number })).status).toBe(200);
  }
  const erased = await parley('erase', '--account', String(account.id), '--subject', String(spellings[0]));
  expect([erased.status, erased.output]).toEqual([0, expect.stringContaining('2 keys destroyed')]);
  expect((await listOf(api, '/api/user/leads')).data).toEqual([]);
  for (const phone of spellings) expect(await placesOf(phone.slice(1))).toEqual([]);
});

test('a person who is erased is gone where somebody else was known to have their number now', async () => {
  const chat = await chatAccount(inject('stack'));
  const [before, now] = [freshCustomerNumber(), freshCustomerNumber()];
  await control('chat/inbound', { to: chat.senderPhone, from: before, text: 'Hi' });
  const uuid = await conversationWith(chat, before);
  await tellMove({ to: chat.senderPhone, from: before }, now);
  expect(await readConversation(chat, uuid)).toMatchObject({ customer_phone: before, moved_to: now });
  const erased = await parley('erase', '--account', String(chat.account.id), '--subject', now);
  expect([erased.status, erased.output]).toEqual([0, expect.stringContaining('1 key destroyed')]);
  expect(await placesOf(now.slice(1))).toEqual([]);
  expect(await readConversation(chat, uuid)).toMatchObject({
    customer_phone: before,
    moved_to: expect.not.stringContaining(now),
  });
});

test('a person who is erased is gone where the chat platform told that they want no marketing messages', async () => {
  const chat = await chatAccount(inject('stack'));
  const customer = freshCustomerNumber();
  const parties = { to: chat.senderPhone, from: customer };
  await control('chat/inbound', { ...parties, text: 'Hi' });
  const uuid = await conversationWith(chat, customer);
  await tellPreference(parties, 'stop', Math.floor(Date.now() / 1_000));
  expect(await readConversation(chat, uuid)).toMatchObject({ marketing_stopped_at: expect.any(String) });
  const erased = await parley('erase', '--account', String(chat.account.id), '--subject', customer);
  expect([erased.status, erased.output]).toEqual([0, expect.stringContaining('1 key destroyed')]);
  expect(await placesOf(customer.slice(1))).toEqual([]);
});

test.each([
  ['without a plus', (phone: string) => phone.slice(1)],
  ['as it is dialed at home', (phone: string) => `0${phone.slice('+49'.length)}`],
])('a caller whose carrier tells their number %s is erased by it', async (_, asTold) => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const { trunk } = await callingAssistant(api, { type: 'inbound' });
  const customer = freshCustomerNumber();
  const told = asTold(customer);
  // Rooms are named after whom the carrier tells of.
  const rooms = [1, 2].map(() => ({ ...freshRoom(), name: `call-_${told}_${randomUUID()}` }));
  const participant = talking(told, trunk.phone_number, { 'sip.trunkID': trunk.inbound_trunk_id });
  for (const room of rooms)
    expect((await tell({ event: 'participant_joined', room, participant })).status).toBe(200);
  const shown = async () => (await listOf<Call>(api, '/api/user/calls')).data;
  expect(await shown()).toMatchObject(rooms.map(() => ({ customer_phone: customer })));
  const erased = await parley('erase', '--account', String(account.id), '--subject', customer);
  expect([erased.status, erased.output]).toEqual([0, expect.stringContaining('1 key destroyed')]);
  expect(await placesOf(told)).toEqual([]);
  expect((await shown()).map(({ customer_phone }) => customer_phone)).not.toContain(customer);
  expect(await shown()).toHaveLength(2);
});

test('a person who was erased stays away when the chat platform tells of an earlier message again', async () => {
  const chat = await chatAccount(inject('stack'));
  const customer = freshCustomerNumber();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const message = { id: `wamid.${randomUUID()}`, timestamp, type: 'text', text: { body: 'Hi' } };
  const tell = async () => (await tellMessage({ to: chat.senderPhone, from: customer }, message)).status;
  expect(await tell()).toBe(200);
  expect(await placesOf(customer.slice(1))).not.toEqual([]);
  const erased = await parley('erase', '--account', String(chat.account.id), '--subject', customer);
  expect(erased.status).toBe(0);
  expect(await tell()).toBe(200);
  expect(await placesOf(customer.slice(1))).toEqual([]);
});

test('erasing says no to what is no number, and to an account that is not there', async () => {
  const erase = (account: string, subject: string) =>
    parley('erase', '--account', account, '--subject', subject);
  expect((await erase('1', '030 901820')).status).toBe(2);
  expect((await erase('999999999', '+4930901820')).status).toBe(1);
});

test('publish sends a log to the bus again from a position, with the same ids, and says how many', async () => {
  await renamedFolder();
  const sent = (await json('publish', '--service', 'assistants', '--from', '1')) as {
    events: number;
    until: number;
  };
  expect(sent).toMatchObject({ service: 'assistants', from: 1 });
  expect(sent.events).toBe(sent.until);
  const beyond = await parley('publish', '--service', 'assistants', '--from', '999999999');
  expect([beyond.status, beyond.output]).toEqual([1, expect.stringContaining('newest event')]);
  expect((await parley('publish', '--service', 'nobody', '--from', '1')).status).toBe(2);
  expect((await parley('publish', '--service', 'assistants')).status).toBe(2);
});

/** What a service would have given up: of the shared stack no reactor does. */
async function giveUp(service: string, processor: string, streamId: string): Promise<string> {
  const url = new URL(inject('stack').databaseUrl);
  url.pathname = `/parley_${service}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      `insert into es.dead_letters (processor, position, event_id, error, attempts)
       select $1, position, event_id, E'Error: it went wrong\n    at react', 5 from es.events
       where stream_id = $2 order by position desc limit 1 returning id`,
      [processor, streamId],
    );
    return `${service}/${rows[0]?.id}`;
  } finally {
    await client.end();
  }
}

test('what was given up is listed, and tried again or discarded', async () => {
  const [api] = accountApis(await freshAccount());
  const step = { id: 'once', type: 'data.map', input: { values: {} } };
  const flow = { trigger: { type: 'webhook.inbound' }, steps: [step] };
  const { automation_id: id } = await createAutomation(api, flow);
  await api.delete(`/api/user/automate/flows/${id}`);
  const letter = await giveUp('automations', 'reactor:stop-runs', `automation-${id}`);
  const gone = await giveUp('automations', 'reactor:of-another-release', `automation-${id}`);
  const listed = await parley('dead-letters');
  for (const part of [letter, 'stop-runs', `AutomationDeleted automation-${id}`, 'Error: it went wrong'])
    expect(listed.stdout).toContain(part);
  const retried = await parley('retry-letter', letter, gone);
  expect([retried.status, retried.output]).toEqual([1, expect.stringContaining('There is no reactor:of-')]);
  expect(retried.output).toContain(`${letter}  done`);
  expect((await json('dead-letters')) as object[]).not.toContainEqual(
    expect.objectContaining({ service: 'automations', id: Number(letter.split('/')[1]) }),
  );
  expect((await parley('retry-letter', letter)).status).toBe(1);
  expect(await parley('discard-letter', gone)).toMatchObject({ status: 0, stdout: `${gone}  discarded\n` });
  expect((await parley('retry-letter', 'nonsense/1')).status).toBe(2);
});
