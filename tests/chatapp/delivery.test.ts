import { listBalanceTransactions } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChatAccount, chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { balanceOf, greeting, patiently, readConversation, sendPath, sentBody } from './sending.ts';

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack());
});

describe('what the platform reports', () => {
  test('moves the status forward only, in whatever order it comes', async () => {
    const sent = sentBody(
      await patiently(() => chat.api.post(sendPath, greeting(chat, freshCustomerNumber()))),
    );
    const statusOf = async () => (await readConversation(chat, sent.conversation_uuid)).messages[0]?.status;
    const report = (status: string) =>
      control('chat/message-status', { message_sid: sent.message_sid, status });
    await report('read');
    await eventually(async () => expect(await statusOf()).toBe('read'));
    await report('delivered');
    await report('failed');
    const marker = sentBody(
      await patiently(() => chat.api.post(sendPath, greeting(chat, freshCustomerNumber()))),
    );
    await control('chat/message-status', {
      message_sid: marker.message_sid,
      status: 'delivered',
    });
    await eventually(async () =>
      expect((await readConversation(chat, marker.conversation_uuid)).messages[0]?.status).toBe('delivered'),
    );
    expect(await statusOf()).toBe('read');
  });

  test('as failed gives the money back, by one line of the ledger however often it is told', async () => {
    const from = await chatAccount(sharedStack());
    const sent = sentBody(await from.api.post(sendPath, greeting(from, freshCustomerNumber())));
    await eventually(async () => expect(await balanceOf(from.api)).toMatchObject({ total_balance: '99.95' }));
    for (let told = 0; told < 3; told += 1)
      await control('chat/message-status', { message_sid: sent.message_sid, status: 'failed' });
    await eventually(async () =>
      expect(await balanceOf(from.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.00' }),
    );
    const { messages } = await readConversation(from, sent.conversation_uuid);
    expect(messages[0]).toMatchObject({ status: 'failed', error: expect.any(String) });
    const { body } = await from.api.get('/api/user/balance/transactions');
    const { data } = listBalanceTransactions.success.schema.parse(body);
    expect(data.map(({ type, amount, reference }) => [type, amount, reference])).toEqual([
      ['refund', '0.05', `message/${sent.message_id}`],
      ['charge', '-0.05', `message/${sent.message_id}`],
      ['top_up', '100.00', null],
    ]);
  });
});
