import { randomUUID } from 'node:crypto';
import { topUpBalance } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Pair, sharedPlace, voicePair, voiceTemplate } from '../chatapp-voice/voice-stack.ts';
import { ask, sharedBus } from '../support/accounts.ts';
import { createAutomation, onlyRun } from '../support/automations.ts';
import { callIn, callingAssistant, endCall, makeCall } from '../support/calls.ts';
import { dataOf, makeCampaign } from '../support/campaigns.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { placesOf } from '../support/dump.ts';
import { parley } from '../support/parley.ts';
import { startWebhookReceiver } from '../support/webhooks.ts';

const greeting = {
  name: 'order_ready',
  category: 'utility',
  status: 'approved',
  body_text: 'Hello {{1}}.',
  variables: ['first name'],
} as const;

/** What an account has of a person after everything it can do with one, and where that can be read. */
async function dealWith(pair: Pair, customer: string, canary: string): Promise<readonly string[]> {
  const { api, sender } = pair;
  const parties = { to: sender.phone, from: customer };
  await control('chat/inbound', { ...parties, text: `I am ${canary}.`, name: canary });
  const sent = await eventually(async () => {
    const answer = await api.post('/api/user/chatapp/send', {
      sender_id: sender.id,
      template_id: sender.templates.order_ready?.id,
      recipient_phone: customer,
      recipient_name: canary,
      variables: { 1: canary },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as { conversation_uuid: string };
  });
  const assistant = await callingAssistant(api);
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const hook = { assistant_id: assistant.id, webhook_url: receiver.url };
  expect((await api.post('/api/user/assistants/enable-webhook', hook)).status).toBe(200);
  const { id: callId } = await makeCall(api, assistant.id, customer);
  const transcript = [{ role: 'customer', text: `This is ${canary} at ${customer}.` }];
  await endCall(await callIn(api, callId, 'ringing'), { outcome: 'completed', duration_s: 3, transcript });
  await callIn(api, callId, 'completed');
  await eventually(() => expect(receiver.requests.some(({ body }) => body.includes(canary))).toBe(true));
  const campaign = await makeCampaign(api);
  const imported = await api.call('POST', `/api/user/leads/import?campaign_id=${campaign.id}`, {
    raw: `phone_number,name\n${customer},${canary}\n`,
    headers: { 'content-type': 'text/csv' },
  });
  expect(dataOf<{ created: number }>(imported).created).toBe(1);
  return [
    '/api/user/conversations',
    `/api/user/conversations/${sent.conversation_uuid}`,
    '/api/user/calls',
    `/api/user/calls/${callId}`,
    `/api/user/leads?campaign_id=${campaign.id}`,
    '/api/user/webhook-deliveries',
    '/api/user/balance/transactions',
    '/api/user/events?limit=500',
    `/api/user/history?resource=call/${callId}`,
  ];
}

test('a person who is erased is in no answer, log, table or stream, and everything still works', async () => {
  const pair = await voicePair(sharedPlace(), {}, [voiceTemplate, greeting]);
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
  expect((await read(paths)).filter((text) => text.includes(customer.slice(1)))).toHaveLength(
    paths.length - 1,
  );
  expect(await placesOf(customer.slice(1))).not.toEqual([]);

  const erased = await parley('erase', '--account', String(accountId), '--subject', customer);
  expect([erased.status, erased.output]).toEqual([0, expect.stringContaining('✔ messaging')]);

  for (const trace of [customer.slice(1), canary])
    expect([trace, await placesOf(trace)]).toEqual([trace, []]);
  const runPath = `/api/user/automate/flows/${automation}/runs?run_id=${run.id}`;
  for (const text of await read([...paths, ...otherPaths, runPath])) {
    expect(text).toMatch(/^200 /);
    expect(text).not.toContain(customer.slice(1));
    expect(text).not.toContain(canary);
  }
  const others = await read(otherPaths);
  expect(others.filter((text) => text.includes(other))).toHaveLength(otherPaths.length - 1);
  expect((await api.get('/api/user/events?limit=500')).text).toContain('SubjectErased');
  expect((await parley('audit', permission)).status).toBe(1);
  expect((await parley('replay-run', String(run.id))).output).toMatch(/erased/i);
  const verified = await parley('verify');
  expect([verified.status, verified.output]).toEqual([0, expect.any(String)]);
  for (const projection of ['conversations', 'calls', 'leads', 'webhook-deliveries', 'ledger']) {
    const rebuilt = await parley('rebuild', projection);
    expect([projection, rebuilt.status, rebuilt.output]).toEqual([projection, 0, expect.any(String)]);
  }
  // Again is no mistake, and who comes back is somebody new.
  const again = await parley('erase', '--account', String(accountId), '--subject', customer, '--json');
  expect([again.status, again.output]).toEqual([0, expect.stringContaining('"leftovers": []')]);
  await pair.write();
  expect((await pair.permission()).status).not.toBe('granted');
});

test('erasing says no to what is no number, and to an account that is not there', async () => {
  const erase = (account: string, subject: string) =>
    parley('erase', '--account', account, '--subject', subject);
  expect((await erase('1', '030 901820')).status).toBe(2);
  expect((await erase('999999999', '+4930901820')).status).toBe(1);
});
