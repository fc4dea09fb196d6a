import { listBalanceTransactions } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { exampleCustomer, ownChat, startedConversation } from '../support/chat-examples.ts';
import { connectedSender, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { tellMessage } from '../support/tell-message.ts';
import { freshRoom, tell } from '../support/voice-callbacks.ts';
import { readConversation, sendPath, sentBody } from './sending.ts';

const path = '/api/user/chatapp/senders';
const customer = `recipient_phone=${encodeURIComponent(exampleCustomer)}`;
const disconnected = { message: 'Sender disconnected successfully' };
const noSender = { success: false, error: 'Sender not found', error_code: 'SENDER_NOT_FOUND' };

const idsOf = async (api: Api) =>
  ((await api.get(`${path}?status=all`)).body as { data: { id: number }[] }).data.map(({ id }) => id);
const conversationsOf = async (api: Api) =>
  (
    (await api.get('/api/user/conversations')).body as {
      data: { uuid: string; sender_id: number; last_received_at: string | null }[];
    }
  ).data;

test('a sender that is disconnected is none any more, for anything that is asked of it', async () => {
  const [api, otherGateway] = accountApis(await freshAccount());
  const { id, templates } = await ownChat(api);
  const kept = await connectedSender(api);
  const answer = await api.delete(`${path}/${id}`);
  expect([answer.status, answer.body]).toEqual([200, disconnected]);
  expect(await idsOf(otherGateway)).toEqual([kept.id]);
  const to = { sender_id: id, recipient_phone: exampleCustomer };
  const asked = [
    api.delete(`${path}/${id}`),
    api.put(`${path}/${id}`, { display_name: 'Again' }),
    api.get(`${path}/${id}/templates`),
    api.post('/api/user/chatapp/send', { ...to, template_id: templates.greeting?.id }),
    api.post('/api/user/chatapp/send-freeform', { ...to, message: 'Hello' }),
    api.get(`/api/user/chatapp/session-status?sender_id=${id}&${customer}`),
    api.post('/api/user/chatapp/voice/request', to),
    api.post('/api/user/chatapp/voice/call', to),
    api.get(`/api/user/chatapp/voice/permission?sender_id=${id}&${customer}`),
  ];
  for (const { status, body } of await Promise.all(asked)) expect([status, body]).toEqual([404, noSender]);
});

test('what was said on it stays, and what could have been done then is told', async () => {
  const [api] = accountApis(await freshAccount());
  const { id, templates } = await ownChat(api);
  const uuid = await startedConversation(api);
  const conversation = await api.get(`/api/user/conversations/${uuid}`);
  const { occurred_at: then } = (
    (await api.get(`/api/user/history?resource=conversation/${await numberOf(api)}`)).body as {
      data: { occurred_at: string }[];
    }
  ).data.at(-1) ?? { occurred_at: '' };
  await api.delete(`${path}/${id}`);
  expect((await api.get(`/api/user/conversations/${uuid}`)).text).toBe(conversation.text);
  const at = `sender_id=${id}&${customer}&as_of=${encodeURIComponent(then)}`;
  const permission = await api.get(`/api/user/chatapp/voice/permission/explain?${at}`);
  expect([permission.status, permission.body]).toMatchObject([200, { success: true }]);
  const send = await api.get(`/api/user/chatapp/send/explain?${at}&template_id=${templates.greeting?.id}`);
  expect([send.status, send.body]).toMatchObject([200, { success: true }]);
  const history = await api.get(`/api/user/history?resource=sender/${id}`);
  expect(history.body).toMatchObject({
    data: [{ event: 'SenderDisconnected', after: {} }, { event: 'SenderConnected' }],
  });
});

/** The conversation of the account's only contact, as its history is called. */
async function numberOf(api: Api): Promise<number> {
  const { data } = (await api.get('/api/user/events?types=ConversationStarted')).body as {
    data: { stream_id: string }[];
  };
  return Number(data[0]?.stream_id.slice('conversation-'.length));
}

test('a message that fails after its sender was disconnected is paid back, also where its number is another’s by then', async () => {
  const [[before], [after]] = [accountApis(await freshAccount()), accountApis(await freshAccount())];
  const { id, phone: phone_number, templates } = await ownChat(before);
  const send = async (recipient_phone: string) => {
    const template = { sender_id: id, recipient_phone, template_id: templates.greeting?.id };
    return sentBody(await before.post(sendPath, template));
  };
  const [first, second] = [await send(freshCustomerNumber()), await send(freshCustomerNumber())];
  await before.delete(`${path}/${id}`);
  await control('chat/message-status', { message_sid: first.message_sid, status: 'failed' });
  await after.post(path, { phone_number, display_name: 'Ours now' });
  await control('chat/message-status', { message_sid: second.message_sid, status: 'failed' });
  await eventually(async () => {
    const { body } = await before.get('/api/user/balance/transactions');
    const { data } = listBalanceTransactions.success.schema.parse(body);
    const ofEach = data.map(({ type, reference }) => `${type} ${reference}`).sort();
    const messages = [first, second].map(({ message_id }) => `message/${message_id}`).sort();
    expect(ofEach.slice(0, 4)).toEqual(
      ['charge', 'refund'].flatMap((type) => messages.map((of) => `${type} ${of}`)),
    );
  });
  for (const { conversation_uuid } of [first, second]) {
    const { messages } = await readConversation({ api: before }, conversation_uuid);
    expect(messages).toMatchObject([{ status: 'failed' }]);
  }
  expect(await conversationsOf(after)).toEqual([]);
});

test('its number can be connected by another account, whose conversations begin anew', async () => {
  const [[before], [after]] = [accountApis(await freshAccount()), accountApis(await freshAccount())];
  const { id, phone: phone_number } = await ownChat(before);
  const [old] = await conversationsOf(before);
  const connect = () => after.post(path, { phone_number, display_name: 'Ours now' });
  expect((await connect()).status).toBe(422);
  await before.delete(`${path}/${id}`);
  const connected = await connect();
  expect(connected.status).toBe(201);
  await control('chat/inbound', { to: phone_number, from: exampleCustomer, text: 'Still there?' });
  await expect
    .poll(() => conversationsOf(after))
    .toMatchObject([
      { uuid: expect.not.stringMatching(old?.uuid ?? ''), last_received_at: expect.any(String) },
    ]);
  expect(await conversationsOf(before)).toEqual([old]);
});

/** Its number is another account's now; the account that has it. */
async function handedOn() {
  const [[before], [after]] = [accountApis(await freshAccount()), accountApis(await freshAccount())];
  const { id, phone: phone_number } = await ownChat(before);
  await before.delete(`${path}/${id}`);
  await after.post(path, { phone_number, display_name: 'Ours now' });
  return { api: after, parties: { to: phone_number, from: exampleCustomer } };
}
const secondsAgo = (seconds: number) => String(Math.floor(Date.now() / 1_000) - seconds);

test('what was written to it while another account had it, and is told later, is not told to whoever has it now', async () => {
  const { api, parties } = await handedOn();
  const write = (body: string, timestamp: string) =>
    tellMessage(parties, { timestamp, type: 'text', text: { body } });
  expect((await write('For the first', secondsAgo(60))).status).toBe(200);
  expect((await write('For the second', secondsAgo(0))).status).toBe(200);
  const [conversation] = await conversationsOf(api);
  const { text } = await api.get(`/api/user/conversations/${conversation?.uuid}`);
  expect(text).toContain('For the second');
  expect(text).not.toContain('For the first');
});

test('nor is a call with it', async () => {
  const { api, parties } = await handedOn();
  const call = { direction: 'inbound', ...parties, outcome: 'completed', duration_s: 30 };
  const metadata = JSON.stringify({ call: { ...call, ended_at: new Date().toISOString() } });
  const callsAfter = async (creationTime: string) => {
    const room = { ...freshRoom(), creationTime, metadata };
    expect((await tell({ event: 'room_finished', room })).status).toBe(200);
    return ((await api.get('/api/user/calls')).body as { data: object[] }).data;
  };
  expect(await callsAfter(secondsAgo(60))).toEqual([]);
  expect(await callsAfter(secondsAgo(0))).toMatchObject([
    { channel: 'chatapp', customer_phone: parties.from },
  ]);
});
