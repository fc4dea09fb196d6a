import { getConversation, getMe, sendChatAppTemplate } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { type ChatAccount, chatAccount, sentTo, timesModelAsked } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { tellMessage } from '../support/tell-message.ts';
import { conversationWith, whyNotAnswered } from './sending.ts';

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack(), { assistantId: (api) => createAssistant(api) });
});

const inbound = (from: string, text: string) =>
  control('chat/inbound', { to: chat.senderPhone, from, text, name: 'Ada' });

/** A conversation that our greeting began. */
async function begin(to: string): Promise<string> {
  return eventually(async () => {
    const answer = await chat.api.post('/api/user/chatapp/send', {
      sender_id: chat.senderId,
      template_id: chat.templates.greeting,
      recipient_phone: to,
    });
    return sendChatAppTemplate.success.schema.parse(answer.body).conversation_uuid;
  });
}
const messagesOf = async (uuid: string) =>
  getConversation.success.schema.parse((await chat.api.get(`/api/user/conversations/${uuid}`)).body).data
    .messages;
const total = async () =>
  Number(getMe.success.schema.parse((await chat.api.get('/api/user/me')).body).total_balance);

describe('while AI replies are on', () => {
  test('each message of a contact is answered once, charged and recorded', async () => {
    const to = freshCustomerNumber();
    const uuid = await begin(to);
    const before = await total();
    await inbound(to, 'When is it **ready**?');
    await eventually(async () => {
      const [reply, question, greeting] = await messagesOf(uuid);
      expect(reply).toMatchObject({ author: 'assistant', direction: 'outbound' });
      expect(['sent', 'delivered']).toContain(reply?.status);
      // The model's Markdown is what WhatsApp shows as bold.
      expect(reply?.text).toContain('“When is it *ready*?”');
      expect(question).toMatchObject({
        author: 'contact',
        text: 'When is it **ready**?',
        status: 'received',
      });
      expect(greeting).toMatchObject({ author: 'person', type: 'template' });
    });
    await eventually(async () => expect(before - (await total())).toBeCloseTo(0.02));
    // It is on record before it is handed over.
    await eventually(async () => expect(await sentTo(sharedStack(), to)).toHaveLength(2));
  });
});

test('what has no words is on record as not answered, and what is written to it is answered', async () => {
  const from = freshCustomerNumber();
  const parties = { to: chat.senderPhone, from };
  expect((await tellMessage(parties, { type: 'audio', audio: { id: '1' } })).status).toBe(200);
  const uuid = await conversationWith(chat, from);
  const error = expect.stringContaining('no words');
  await eventually(async () =>
    expect(await messagesOf(uuid)).toMatchObject([{ author: 'contact', type: 'audio', text: null, error }]),
  );
  await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['no_text']));
  await inbound(from, 'Did you hear that?');
  await eventually(async () =>
    expect(await messagesOf(uuid)).toMatchObject([
      { author: 'assistant' },
      { text: 'Did you hear that?' },
      {},
    ]),
  );
});

test('what the assistant is told to be has its variables filled in', async () => {
  const company = `Company of ${freshCustomerNumber()}`;
  const system_prompt =
    'You work for {{ company }}{{nobody}}. {{customer_name}} ({{customer_phone}}) wrote on {{now}}.';
  const told = { system_prompt, variables: { company, now: 'a Monday' } };
  const { senderPhone: to } = await chatAccount(sharedStack(), {
    assistantId: (api) => createAssistant(api, told),
  });
  const from = freshCustomerNumber();
  await control('chat/inbound', { to, from, text: 'Who are you?', name: 'Ada' });
  const prompt = `You work for ${company}. Ada (${from}) wrote on a Monday.`;
  await eventually(async () => expect(await timesModelAsked(sharedStack(), prompt)).toBe(1));
});

describe('while AI replies are off', () => {
  test('messages are stored and not answered; from then on they are, once they are on again', async () => {
    const to = freshCustomerNumber();
    const uuid = await begin(to);
    await chat.api.post(`/api/user/conversations/${uuid}/disable-ai`);
    await inbound(to, 'Is anyone there?');
    await eventually(async () => expect(await messagesOf(uuid)).toHaveLength(2));
    await chat.api.post(`/api/user/conversations/${uuid}/enable-ai`);
    await inbound(to, 'And now?');
    await eventually(async () => {
      const [reply] = await messagesOf(uuid);
      expect(reply).toMatchObject({ author: 'assistant' });
      expect(reply?.text).toContain('And now?');
    });
    expect((await messagesOf(uuid)).filter(({ author }) => author === 'assistant')).toHaveLength(1);
    // It is on record before it is handed over.
    await eventually(async () => expect(await sentTo(sharedStack(), to)).toHaveLength(2));
  });
});
