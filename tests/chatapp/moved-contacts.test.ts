import { getConversation, listConversations } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { platformTime, tellMove } from '../support/tell-message.ts';
import { conversationWith, readConversation } from './sending.ts';

test('a customer with another number is known as who they were: each of their conversations names the other one', async () => {
  const chat = await chatAccount(sharedStack());
  const [from, to] = [freshCustomerNumber(), freshCustomerNumber()];
  await control('chat/inbound', { to: chat.senderPhone, from, text: 'Hi', name: 'Ada' });
  const old = await conversationWith(chat, from);
  const before = new Date().toISOString();
  const since = platformTime();
  for (let times = 0; times < 2; times += 1) await tellMove({ to: chat.senderPhone, from }, to, since);
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

test('a conversation as it was does not name the number that its contact was known to have had only later', async () => {
  const chat = await chatAccount(sharedStack());
  const [from, between, to] = [freshCustomerNumber(), freshCustomerNumber(), freshCustomerNumber()];
  const parties = { to: chat.senderPhone, from };
  for (const customer of [from, to])
    await control('chat/inbound', { to: chat.senderPhone, from: customer, text: 'Hi' });
  const [old, last] = [await conversationWith(chat, from), await conversationWith(chat, to)];
  const movesTo = (number: string) =>
    eventually(async () => expect(await readConversation(chat, old)).toMatchObject({ moved_to: number }));
  await tellMove(parties, between, platformTime() - 10);
  await movesTo(between);
  const then = new Date().toISOString();
  await tellMove(parties, to);
  await movesTo(to);
  expect(await readConversation(chat, last)).toMatchObject({ moved_from: from });
  const past = await chat.api.get(`/api/user/conversations/${last}?as_of=${encodeURIComponent(then)}`);
  expect(getConversation.success.schema.parse(past.body).data).toMatchObject({ moved_from: null });
});

test('somebody without a conversation who has another number is nobody', async () => {
  const chat = await chatAccount(sharedStack());
  await tellMove({ to: chat.senderPhone, from: freshCustomerNumber() }, freshCustomerNumber());
  const { body } = await chat.api.get('/api/user/conversations');
  expect(body).toMatchObject({ data: [] });
});
