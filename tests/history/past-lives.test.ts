import { beforeAll, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { createAssistant } from '../support/assistants.ts';
import { createAutomation, mapFlow, runOnce } from '../support/automations.ts';
import { callIn, callingAssistant, endCall, fund, makeCall } from '../support/calls.ts';
import { type ChatAccount, chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { createSipTrunk } from '../support/sip-trunks.ts';
import { createSnapshots } from '../support/snapshots.ts';
import { setCard } from '../support/telephony.ts';

test('a SIP trunk, an automation and a payment method are shown as they were at every moment', async () => {
  const [api] = accountApis(await freshAccount());
  const trunk = await createSipTrunk(api);
  const { automation_id: id } = await createAutomation(api, mapFlow());
  const trunkPath = `/api/user/phone-numbers/sip-trunks/${trunk.id}`;
  const trunks = createSnapshots(api, trunkPath);
  const automations = createSnapshots(api, `/api/user/automate/flows/${id}`);
  const cards = createSnapshots(api, '/api/user/payment-method');
  await trunks.take({ data: { nickname: 'Office' } });
  await api.put(trunkPath, { inbound_authorization_type: 'ip', allowed_inbound_ips: ['203.0.113.7'] });
  await trunks.take({ data: { allowed_inbound_ips: ['203.0.113.7'] } });
  await automations.take({ data: { name: 'Test', version: 1, status: 'enabled' } });
  await api.put(`/api/user/automate/flows/${id}`, { name: 'Renamed', flow: mapFlow({ b: 2 }) });
  await automations.take({ data: { name: 'Renamed', version: 2 } });
  await api.put(`/api/user/automate/flows/${id}`, { enabled: false });
  await automations.take({ data: { status: 'disabled' } });
  await cards.take({ data: null });
  await setCard(api);
  await cards.take({ data: { last4: expect.any(String) } });
  // Its address is a secret, which goes with it.
  await automations.holdStill();
  await Promise.all([api.delete(trunkPath), api.delete('/api/user/payment-method')]);
  await trunks.holdStill();
  await cards.holdStill();
});

test('a run is shown as it failed once it has succeeded, and so is what a retry would have done', async () => {
  const [api] = accountApis(await freshAccount());
  const steps = (x: string) => [{ id: 'map', type: 'data.map', input: { x } }];
  const { automationId, id } = await runOnce(api, steps('{{trigger.missing}}'), {}, 'FAILED');
  const path = `/api/user/automate/flows/${automationId}/runs`;
  const all = createSnapshots(api, path);
  const run = createSnapshots(api, `${path}?run_id=${id}`);
  const retry = createSnapshots(api, `${path}/${id}/retry/explain`);
  const take = async (status: string, possible: boolean) => {
    await all.take({ runs: [{ status }] });
    await run.take({ run: { status, retry: { possible } } });
    await retry.take({ status, retry: { possible } });
  };
  await take('FAILED', true);
  await api.put(`/api/user/automate/flows/${automationId}`, { flow: { ...mapFlow(), steps: steps('1') } });
  await retry.take({ retry: { version_from: 1, version_to: 2 } });
  await api.post(`${path}/${id}/retry`);
  await take('SUCCEEDED', false);
  for (const snapshots of [all, run, retry]) await snapshots.holdStill();
});

test('a call is shown ringing as it was, and what was paid until then', async () => {
  const [api] = accountApis(await freshAccount());
  await fund(api);
  const made = await makeCall(api, (await callingAssistant(api)).id);
  const call = createSnapshots(api, `/api/user/calls/${made.id}`);
  const lines = createSnapshots(api, '/api/user/balance/transactions');
  const me = createSnapshots(api, '/api/user/me');
  const ringing = await callIn(api, made.id, 'ringing');
  await call.take({ data: { status: 'ringing', cost: null } });
  await lines.take({ total: 1 });
  await me.take({ reserved_balance: expect.not.stringMatching(/^0\.00$/) });
  await endCall(ringing, { outcome: 'completed', duration_s: 61, extracted_variables: { mood: 'fine' } });
  await call.take({ data: { status: 'completed', cost: expect.any(String) } });
  await lines.take({ total: 2 });
  await me.take({ reserved_balance: '0.00' });
  for (const snapshots of [call, lines, me]) await snapshots.holdStill();
});

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack(), { messagingLimit: 1 });
});

test('a conversation, its windows and whether one might have written are shown as they were', async () => {
  const { api, senderId, senderPhone, templates } = chat;
  const customer = freshCustomerNumber();
  // Somebody else, for whom there is no room any more once the customer was written to.
  const other = `sender_id=${senderId}&recipient_phone=${encodeURIComponent(freshCustomerNumber())}`;
  const explain = createSnapshots(
    api,
    `/api/user/chatapp/send/explain?${other}&template_id=${templates.greeting}`,
  );
  await explain.take({ can_send: true });
  const send = { sender_id: senderId, template_id: templates.greeting, recipient_phone: customer };
  const sent = (await api.post('/api/user/chatapp/send', send)).body as {
    conversation_uuid: string;
    message_sid: string;
  };
  const parties = `sender_id=${senderId}&recipient_phone=${encodeURIComponent(customer)}`;
  const conversation = createSnapshots(api, `/api/user/conversations/${sent.conversation_uuid}`);
  const session = createSnapshots(api, `/api/user/chatapp/session-status?${parties}`);
  await conversation.take({ data: { messages: [{ status: 'sent' }] } });
  await session.take({ freeform_open: true, session_open: false });
  await explain.take({ can_send: false });
  await control('chat/message-status', { message_sid: sent.message_sid, status: 'delivered' });
  await conversation.take({ data: { messages: [{ status: 'delivered' }] } });
  await control('chat/inbound', { to: senderPhone, from: customer, text: 'Thanks', name: 'Ada' });
  await session.take({ session_open: true });
  await conversation.take({ data: { customer_name: 'Ada', ai_enabled: true, messages: [{}, {}] } });
  await api.post(`/api/user/conversations/${sent.conversation_uuid}/disable-ai`);
  await conversation.take({ data: { ai_enabled: false } });
  for (const snapshots of [conversation, session, explain]) await snapshots.holdStill();
});

test('a deleted assistant is shown as it was, and is not found from then on', async () => {
  const [api] = accountApis(await freshAccount());
  const id = await createAssistant(api, { name: 'Before' });
  const path = `/api/user/history/state?resource=assistant/${id}`;
  const state = createSnapshots(api, path);
  await state.take({ data: { state: { name: 'Before', status: 'inactive' } } });
  await api.delete(`/api/user/assistant/${id}`);
  await state.holdStill();
  expect((await api.get(path)).status).toBe(404);
  expect((await api.get(`/api/user/history?resource=assistant/${id}`)).body).toMatchObject({
    data: [{ event: 'AssistantDeleted' }, { event: 'AssistantCreated' }],
  });
});

test('what has no GET of its own is shown by its name, as it was', async () => {
  const [api] = accountApis(await freshAccount());
  const made = (await api.post('/api/user/folder', { name: 'Before', color: 'teal' })).body as {
    data: { id: number };
  };
  const state = createSnapshots(api, `/api/user/history/state?resource=folder/${made.data.id}`);
  await state.take({ data: { version: 1, state: { name: 'Before', color: 'teal' } } });
  await api.put(`/api/user/folder/${made.data.id}`, { name: 'After' });
  await state.take({ data: { version: 2, state: { name: 'After', color: 'teal' } } });
  await api.delete(`/api/user/folder/${made.data.id}`);
  await state.holdStill();
  expect((await api.get(`/api/user/history/state?resource=folder/${made.data.id}`)).status).toBe(404);
});
