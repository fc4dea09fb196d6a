import { randomUUID } from 'node:crypto';
import { topUpBalance } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
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
import { parley, parleyInTurn } from '../support/parley.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { platformTime, tellMessage, tellMove, tellPreference } from '../support/tell-message.ts';
import { freshRoom, talking, tell } from '../support/voice-callbacks.ts';

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
    output: expect.stringMatching(/^Nothing is on record of .*, unless they were erased\.\n$/),
  });

  expect(await placesOf(customer.slice(1), canary)).toEqual([]);
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
  const verified = await parleyInTurn('verify');
  expect([verified.status, verified.output]).toEqual([0, expect.any(String)]);
  for (const projection of ['conversations', 'webhook_deliveries']) {
    const rebuilt = await parleyInTurn('rebuild', projection);
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
  expect(await placesOf(...spellings.map((phone) => phone.slice(1)))).toEqual([]);
});

test('a person who is erased is gone where somebody else was known to have their number now', async () => {
  const chat = await chatAccount(sharedStack());
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
  const chat = await chatAccount(sharedStack());
  const customer = freshCustomerNumber();
  const parties = { to: chat.senderPhone, from: customer };
  await control('chat/inbound', { ...parties, text: 'Hi' });
  const uuid = await conversationWith(chat, customer);
  await tellPreference(parties, 'stop', platformTime());
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
  const chat = await chatAccount(sharedStack());
  const customer = freshCustomerNumber();
  const timestamp = String(platformTime());
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
