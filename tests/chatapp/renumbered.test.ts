import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { control, renumberedCustomer } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import {
  conversationWith,
  freeformPath,
  greeting,
  patiently,
  readConversation,
  sendPath,
  sentBody,
} from './sending.ts';

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack());
});

const writes = (from: string) => control('chat/inbound', { to: chat.senderPhone, from, text: 'Hi' });

describe.each(['Brazil', 'Mexico', 'Argentina'] as const)('a customer in %s', (country) => {
  test('answers in the conversation of the number that was written to', async () => {
    const { dialed } = renumberedCustomer(country);
    const sent = sentBody(await patiently(() => chat.api.post(sendPath, greeting(chat, dialed))));
    await writes(dialed);
    const authors = await eventually(async () => {
      const { messages } = await readConversation(chat, sent.conversation_uuid);
      if (messages.length < 2) throw new Error('The answer has not arrived.');
      return messages.map(({ author }) => author);
    });
    expect(authors).toEqual(['contact', 'person']);
  });

  test('who writes first can be answered under the number that is dialed', async () => {
    const { dialed, told } = renumberedCustomer(country);
    await writes(dialed);
    const uuid = await conversationWith(chat, country === 'Argentina' ? told : dialed);
    await eventually(async () => expect((await readConversation(chat, uuid)).messages).toHaveLength(1));
    const text = { sender_id: chat.senderId, recipient_phone: dialed, message: 'How can I help?' };
    const answer = await patiently(() => chat.api.post(freeformPath, text));
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ conversation_uuid: uuid })]);
    expect(await sentTo(sharedStack(), dialed)).toHaveLength(1);
  });
});
