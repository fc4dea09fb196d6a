import { disableConversationAi, enableConversationAi, listConversations } from '@parley/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChatAccount, chatAccount } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { greeting, patiently, readConversation, sendPath, sentBody } from './sending.ts';

const unknownUuid = '0193e2a0-0000-7000-8000-00000000dead';

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack());
});

describe('conversations', () => {
  test('are listed newest first, by cursor', async () => {
    const from = await chatAccount(sharedStack());
    const uuids: string[] = [];
    for (let i = 0; i < 3; i += 1)
      uuids.unshift(
        sentBody(await from.api.post(sendPath, greeting(from, freshCustomerNumber()))).conversation_uuid,
      );
    const page = async (query: string) =>
      listConversations.success.schema.parse((await from.api.get(`/api/user/conversations${query}`)).body);
    const first = await page('?per_page=2');
    const second = await page(`?per_page=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ uuid }) => uuid)).toEqual(uuids);
    expect(second.next_cursor).toBeNull();
    expect((await from.api.get('/api/user/conversations?cursor=x')).status).toBe(422);
  });

  test('let AI replies be switched off and on', async () => {
    const { conversation_uuid: uuid } = sentBody(
      await patiently(() => chat.api.post(sendPath, greeting(chat, freshCustomerNumber()))),
    );
    const off = await chat.api.post(`/api/user/conversations/${uuid}/disable-ai`);
    expect(off.status).toBe(200);
    expect(disableConversationAi.success.schema.parse(off.body)).toEqual({ status: true, ai_enabled: false });
    expect(await readConversation(chat, uuid)).toMatchObject({ ai_enabled: false });
    const on = await chat.api.post(`/api/user/conversations/${uuid}/enable-ai`);
    expect(enableConversationAi.success.schema.parse(on.body)).toEqual({ status: true, ai_enabled: true });
    expect(await readConversation(chat, uuid)).toMatchObject({ ai_enabled: true });
  });

  test.each(['enable-ai', 'disable-ai'])(
    'that do not exist, or are malformed, are not found: %s',
    async (action) => {
      for (const uuid of [unknownUuid, 'abc', '1'])
        expect(await chat.api.post(`/api/user/conversations/${uuid}/${action}`)).toMatchObject({
          status: 404,
          body: { status: false, error: 'Conversation not found' },
        });
    },
  );
});
