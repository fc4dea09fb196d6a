import { getConversation, listConversations } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, inject, test } from 'vitest';
import { chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { tellMove } from '../support/tell-message.ts';
import { conversationWith, readConversation } from './sending.ts';

test('a customer with another number is known as who they were: each of their conversations names the other one', async () => {
  const chat = await chatAccount(inject('stack'));
  const [from, to] = [freshCustomerNumber(), freshCustomerNumber()];
  await control('chat/inbound', { to: chat.senderPhone, from, text: 'Hi', name: 'Ada' });
  const old = await conversationWith(chat, from);
  const before = new Date().toISOString();
  for (let times = 0; times < 2; times += 1) await tellMove({ to: chat.senderPhone, from }, to);
  await control('chat/inbound', { to: chat.senderPhone, from: to, text: 'Hi again', name: 'Ada' });
  const fresh = await conversationWith(chat, to);
  await eventually(async () =>
    expect(await readConversation(chat, fresh)).toMatchObject({ moved_to: null, moved_from: from }),
  );
  expect(await readConversation(chat, old)).toMatchObject({ moved_to: to, moved_from: null });
  const list = await chat.api.get('/api/user/conversations');
  expect(listConversations.success.schema.parse(list.body).data).toMatchObject([
    { customer_phone: to, moved_to: null, moved_from: from },
    { customer_phone: from, moved_to: to, moved_from: null },
  ]);
  const at = async (uuid: string, asOf: string) => {
    const { body } = await chat.api.get(`/api/user/conversations/${uuid}?as_of=${encodeURIComponent(asOf)}`);
    return getConversation.success.schema.parse(body).data;
  };
  expect(await at(old, before)).toMatchObject({ moved_to: null });
  expect(await at(old, new Date().toISOString())).toMatchObject({ moved_to: to });
  expect(await at(fresh, new Date().toISOString())).toMatchObject({ moved_from: from });
  const { body } = await chat.api.get('/api/user/events?types=ConversationContactMoved');
  expect(body).toMatchObject({ data: [{ data: { uuid: old, contact_phone: from, moved_to: to } }] });
});

test('somebody without a conversation who has another number is nobody', async () => {
  const chat = await chatAccount(inject('stack'));
  await tellMove({ to: chat.senderPhone, from: freshCustomerNumber() }, freshCustomerNumber());
  const { body } = await chat.api.get('/api/user/conversations');
  expect(body).toMatchObject({ data: [] });
});
