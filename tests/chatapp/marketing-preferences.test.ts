import { getConversation } from '@parley/contracts';
import { expect, test } from 'vitest';
import { chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { tellPreference } from '../support/tell-message.ts';
import { conversationWith, readConversation } from './sending.ts';

test('a customer who stops marketing messages is shown with their conversation, until they want them again', async () => {
  const chat = await chatAccount(sharedStack());
  const from = freshCustomerNumber();
  const parties = { to: chat.senderPhone, from };
  await control('chat/inbound', { ...parties, text: 'Hi', name: 'Ada' });
  const uuid = await conversationWith(chat, from);
  const before = new Date().toISOString();
  expect(await readConversation(chat, uuid)).toMatchObject({ marketing_stopped_at: null });
  const stoppedAt = Math.floor(Date.now() / 1_000);
  const marketing_stopped_at = new Date(stoppedAt * 1_000).toISOString();
  for (let times = 0; times < 2; times += 1)
    expect((await tellPreference(parties, 'stop', stoppedAt)).status).toBe(200);
  expect(await readConversation(chat, uuid)).toMatchObject({ marketing_stopped_at, ai_enabled: true });
  const { body: list } = await chat.api.get('/api/user/conversations');
  expect(list).toMatchObject({ data: [{ uuid, marketing_stopped_at }] });
  const after = new Date().toISOString();
  await tellPreference(parties, 'resume', stoppedAt + 1);
  expect(await readConversation(chat, uuid)).toMatchObject({ marketing_stopped_at: null });
  const at = async (asOf: string) => {
    const { body } = await chat.api.get(`/api/user/conversations/${uuid}?as_of=${encodeURIComponent(asOf)}`);
    return getConversation.success.schema.parse(body).data.marketing_stopped_at;
  };
  expect([await at(before), await at(after)]).toEqual([null, marketing_stopped_at]);
  const types = 'ConversationMarketingStopped,ConversationMarketingResumed';
  const { body } = await chat.api.get(`/api/user/events?types=${types}`);
  const about = { uuid, contact_phone: from };
  expect(body).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ type: 'ConversationMarketingStopped', data: expect.objectContaining(about) }),
      expect.objectContaining({ type: 'ConversationMarketingResumed', data: expect.objectContaining(about) }),
    ]),
  });
  expect(body).toMatchObject({ data: { length: 2 } });
});
