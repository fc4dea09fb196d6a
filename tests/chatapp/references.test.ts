import { getConversation } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { createAutomation, onlyRun } from '../support/automations.ts';
import { type ChatAccount, chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { conversationWith, readConversation, repliesIn } from './sending.ts';

const withAssistant = () => chatAccount(sharedStack(), { assistantId: (api) => createAssistant(api) });

/** What a customer writes, and the assistant's reply. */
async function ask(chat: ChatAccount, from: string, text: string, more: object = {}) {
  await control('chat/inbound', { to: chat.senderPhone, from, text, ...more });
  const uuid = await conversationWith(chat, from);
  return eventually(async () => {
    const { messages } = await readConversation(chat, uuid);
    const [reply, question] = messages;
    expect(question).toMatchObject({ author: 'contact', text });
    expect(reply).toMatchObject({ author: 'assistant', message_sid: expect.any(String) });
    return { uuid, sid: reply?.message_sid ?? '', question };
  });
}

test('a customer who quotes one of several messages is understood: the assistant is told its words', async () => {
  const chat = await withAssistant();
  const from = freshCustomerNumber();
  const { sid, uuid } = await ask(chat, from, 'Is Tuesday free?');
  await ask(chat, from, 'Is Friday free?');
  const { question } = await ask(chat, from, 'Yes, this one', { reply_to_sid: sid });
  expect(question).toMatchObject({ in_reply_to_sid: sid, is_forwarded: false, referral: null });
  const [reply] = await repliesIn(chat, uuid);
  expect(reply).toMatch(/\[In reply to “[^\]]*Is Tuesday free\?[^\]]*\]\sYes, this one/);
  const then = await chat.api.get(`/api/user/conversations/${uuid}?as_of=${new Date().toISOString()}`);
  const { messages } = getConversation.success.schema.parse(then.body).data;
  expect(messages[1]).toEqual(question);
});

test('the ad by which a customer comes stands at their message, and the assistant is told of it', async () => {
  const chat = await withAssistant();
  const ad = { source_type: 'ad', source_id: '12', source_url: 'https://fb.me/1' };
  const referral = { ...ad, headline: 'Summer sale', body: '20 % off all bikes', ctwa_clid: 'Aff-1' };
  const { uuid, question } = await ask(chat, freshCustomerNumber(), 'Is it still on?', { referral });
  expect(question).toMatchObject({ referral });
  const [reply] = await repliesIn(chat, uuid);
  expect(reply).toContain('[Came by the ad: Summer sale – 20 % off all bikes – https://fb.me/1]');
});

test('an automation is told the payload of a button and the ad, and its filter compares the text alone', async () => {
  const chat = await chatAccount(sharedStack());
  const seen = { text: 'Yes', payload: 'confirm-7', in_reply_to_sid: 'wamid.0', 'referral.source_id': '12' };
  const { automation_id: id } = await createAutomation(chat.api, {
    trigger: {
      type: 'conversation.message_received',
      sender_id: chat.senderId,
      filter: {
        all: Object.entries(seen).map(([path, right]) => ({
          op: 'eq',
          left: `{{trigger.message.${path}}}`,
          right,
        })),
      },
    },
    steps: [{ id: 'sees', type: 'data.map', input: { payload: '{{trigger.message.payload}}' } }],
  });
  const referral = { source_type: 'post', source_id: '12', source_url: 'https://fb.me/1' };
  const tapped = { text: 'Yes', button_payload: 'confirm-7', reply_to_sid: 'wamid.0', referral };
  const parties = { to: chat.senderPhone, from: freshCustomerNumber() };
  await control('chat/inbound', { ...parties, text: 'Yes' });
  await control('chat/inbound', { ...parties, ...tapped });
  await onlyRun(chat.api, id, 'SUCCEEDED');
});
