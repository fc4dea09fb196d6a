import { expect, test } from 'vitest';
import { sharedPlace, voicePair } from '../chatapp-voice/voice-stack.ts';
import { callIn, fund } from '../support/calls.ts';
import { chatAccount } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { freeformPath, greeting, sendPath } from './sending.ts';

const int = expect.toSatisfy(Number.isInteger);
const string = expect.any(String);
const boolean = expect.any(Boolean);
const orNull = (matches: (value: unknown) => boolean) =>
  expect.toSatisfy((value) => value === null || matches(value));
const stringOrNull = orNull((value) => typeof value === 'string');

const sent = {
  success: true,
  conversation_id: int,
  conversation_uuid: string,
  message_id: int,
  chatapp_message_id: int,
  message_sid: string,
  status: string,
};
const sender = {
  id: int,
  phone_number: string,
  display_name: string,
  status: 'online',
  quality_rating: string,
  messaging_limit: orNull(Number.isInteger),
  messaging_limit_formatted: string,
  voice_calling_enabled: boolean,
  assistant_id: orNull(Number.isInteger),
};
const template = {
  id: int,
  name: string,
  language: string,
  category: string,
  status: 'approved',
  body_text: string,
  variables: expect.any(Array),
  has_variables: boolean,
  kind: string,
};
const permission = {
  success: true,
  sender_id: int,
  customer_phone: string,
  conversation_id: stringOrNull,
  status: stringOrNull,
  can_call: boolean,
  can_request: boolean,
  session_open: boolean,
  expires_at: stringOrNull,
  requested_at: stringOrNull,
};

test('every success of senders and messages has exactly its documented fields', async () => {
  const chat = await chatAccount(sharedStack());
  const { api, senderId } = chat;
  const to = freshCustomerNumber();
  const path = '/api/user/chatapp';
  const query = `sender_id=${senderId}&recipient_phone=${encodeURIComponent(to)}`;
  const answerOf = async (answering: ReturnType<typeof api.get>) => {
    const { status, body } = await answering;
    return [status, body];
  };
  const session = {
    success: true,
    sender_id: senderId,
    recipient_phone: to,
    session_open: false,
    session_expires_at: null,
  };
  expect(await answerOf(api.get(`${path}/session-status?${query}`))).toEqual([
    200,
    { ...session, conversation_uuid: null, freeform_open: false, freeform_expires_at: null },
  ]);
  expect(await answerOf(api.post(sendPath, greeting(chat, to)))).toEqual([200, sent]);
  const text = { sender_id: senderId, recipient_phone: to, message: 'Hello' };
  expect(await answerOf(api.post(freeformPath, text))).toEqual([200, sent]);
  expect(await answerOf(api.get(`${path}/session-status?${query}`))).toEqual([
    200,
    { ...session, conversation_uuid: string, freeform_open: true, freeform_expires_at: string },
  ]);
  expect(await answerOf(api.get(`${path}/senders`))).toEqual([200, { data: [sender] }]);
  expect(await answerOf(api.get(`${path}/senders/${senderId}/templates`))).toEqual([
    200,
    { data: [template, template] },
  ]);
});

test('every success of call permission has exactly its documented fields', async () => {
  const {
    api,
    ask,
    customer,
    permission: shown,
    reply,
    sender: from,
    write,
  } = await voicePair(sharedPlace());
  await fund(api);
  await write();
  const asked = await ask();
  expect([asked.status, asked.body]).toEqual([
    200,
    {
      ...permission,
      sender_id: from.id,
      customer_phone: customer,
      conversation_id: string,
      status: 'pending',
      can_call: false,
      can_request: false,
      session_open: true,
      expires_at: null,
      requested_at: string,
    },
  ]);
  const limit = { max: int, used: int, resets_at: stringOrNull };
  const limits = [
    { ...limit, window: '24h' },
    { ...limit, window: '7d' },
  ];
  const query = `sender_id=${from.id}&recipient_phone=${encodeURIComponent(customer)}`;
  const answer = await api.get(`/api/user/chatapp/voice/permission?${query}`);
  expect(answer.body).toEqual({ ...permission, limits, can_request_at: string });
  await reply('accept');
  expect(await shown()).toEqual({ ...permission, expires_at: string, limits, can_request_at: stringOrNull });
  const body = { sender_id: from.id, recipient_phone: customer };
  const placed = await api.post('/api/user/chatapp/voice/call', body);
  expect([placed.status, placed.body]).toEqual([
    200,
    { success: true, sender_id: from.id, customer_phone: customer, status: 'queued', reference: string },
  ]);
  await callIn(api, Number(Object(placed.body).reference), 'ringing');
});
