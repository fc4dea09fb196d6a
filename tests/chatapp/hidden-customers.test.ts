import { randomInt } from 'node:crypto';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { type ChatAccount, chatAccount } from '../support/chat.ts';
import { control } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import {
  conversationWith,
  errorOf,
  freeformPath,
  greeting,
  patiently,
  readConversation,
  repliesIn,
  sendPath,
} from './sending.ts';

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack(), { assistantId: (api) => createAssistant(api) });
});

/** What the chat platform calls a customer who hides their number. */
const someone = () => `DE.${randomInt(1e9, 1e10)}${randomInt(1e9, 1e10)}`;
const writes = (from: string, text: string) =>
  control('chat/inbound', { to: chat.senderPhone, from, text, name: 'Ada' });
const freeform = (to: string) =>
  chat.api.post(freeformPath, { sender_id: chat.senderId, recipient_phone: to, message: 'How can I help?' });

describe('a customer who hides their number', () => {
  test('has one conversation, in which the assistant answers', async () => {
    const customer = someone();
    await writes(customer, 'When is it ready?');
    const uuid = await conversationWith(chat, customer);
    await eventually(async () => expect(await repliesIn(chat, uuid)).toHaveLength(1));
    await writes(customer, 'And where?');
    await eventually(async () => {
      const { customer_name, messages } = await readConversation(chat, uuid);
      expect([customer_name, messages.length]).toEqual(['Ada', 4]);
      expect(messages[0]).toMatchObject({
        author: 'assistant',
        status: expect.stringMatching(/sent|delivered/),
      });
    });
  });

  test('is answered by a person too, as their conversation shows them, and by nobody without one', async () => {
    const customer = someone();
    expect(errorOf(await patiently(() => freeform(customer)))).toEqual({
      status: 422,
      error_code: 'INVALID_PHONE',
    });
    await writes(customer, 'Hello');
    const uuid = await conversationWith(chat, customer);
    // The conversation is there before what has begun it, which the assistant may have answered by then.
    const hello = expect.objectContaining({ author: 'contact', text: 'Hello' });
    await eventually(async () => expect((await readConversation(chat, uuid)).messages).toContainEqual(hello));
    const answer = await patiently(() => freeform(customer));
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ conversation_uuid: uuid })]);
    const delivered = { message_sid: Object(answer.body).message_sid, status: 'delivered' };
    await control('chat/message-status', delivered);
    await eventually(async () => {
      const { messages } = await readConversation(chat, uuid);
      expect(messages.find(({ author }) => author === 'person')).toMatchObject({ status: 'delivered' });
    });
  });

  test('has a history of call permission, by what the chat platform calls them', async () => {
    const customer = someone();
    await writes(customer, 'Hello');
    await eventually(async () => {
      const { body } = await chat.api.get(
        `/api/user/history?resource=permission/${chat.senderId}:${customer}`,
      );
      expect(body).toMatchObject({ data: [{ event: 'ContactWrote' }] });
    });
  });

  test('gets no templates: those go to numbers', async () => {
    const customer = someone();
    await writes(customer, 'Hello');
    await conversationWith(chat, customer);
    const refused = await patiently(() => chat.api.post(sendPath, greeting(chat, customer)));
    expect(errorOf(refused)).toEqual({ status: 422, error_code: 'INVALID_PHONE' });
  });
});
