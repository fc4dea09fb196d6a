import { randomUUID } from 'node:crypto';
import { sendChatAppTemplate } from '@parley/contracts';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { balanceOf, errorOf, freeformPath, readConversation, sendGreeting, sentBody } from './sending.ts';

/** A stack of its own: faults hit whoever comes next, and its clock goes forward by a day. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack({ copies: { gateway: 2, messaging: 2 } });
});
afterAll(async () => {
  await stack?.stop();
});

const day = 24 * 60 * 60;
const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);
const sendUntilAnswered = (chat: ChatAccount, to: string, key?: string) => sendGreeting(stack, chat, to, key);

describe('a fault of the chat platform', () => {
  const fault = (mode: string, takesEffect = false) =>
    control(
      'faults',
      { provider: 'chat', operation: 'send_message', mode, times: 1, takes_effect: takesEffect },
      stack.sandboxUrl,
    );
  const messageOf = async (chat: ChatAccount, uuid: string) =>
    (await readConversation(chat, uuid)).messages[0];

  test('that is a refusal is SEND_FAILED, costs nothing, and the request may be made again', async () => {
    const chat = await chatAccount(stack);
    const key = randomUUID();
    const to = freshCustomerNumber();
    await fault('reject');
    const answer = await sendUntilAnswered(chat, to, key);
    expect(errorOf(answer)).toEqual({ status: 422, error_code: 'SEND_FAILED' });
    expect(Object(answer.body).details).toMatchObject({ outcome: 'not_sent' });
    // Where accounts is slow, the answer does not wait for the release.
    await eventually(async () =>
      expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.00' }),
    );
    expect((await sendUntilAnswered(chat, to, key)).status).toBe(200);
  });

  test.each(['error', 'reset', 'garbage', 'timeout'])(
    'that leaves the outcome open (%s) is recorded so within 10 s, and never sent again',
    async (mode) => {
      const chat = await chatAccount(stack);
      const to = freshCustomerNumber();
      const key = randomUUID();
      await fault(mode);
      const answer = await sendUntilAnswered(chat, to, key);
      expect(errorOf(answer)).toEqual({ status: 422, error_code: 'SEND_FAILED' });
      const { outcome, conversation_uuid } = Object(answer.body).details;
      expect(outcome).toBe('unknown');
      expect(await messageOf(chat, conversation_uuid)).toMatchObject({ status: 'unknown' });
      const again = await sendUntilAnswered(chat, to, key);
      expect(again.text).toBe(answer.text);
      expect(await sentTo(stack, to)).toHaveLength(1);
      expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.05' });
    },
  );

  test('that leaves the outcome open is what the same request is told while its sender is offline, too', async () => {
    const chat = await chatAccount(stack);
    const to = freshCustomerNumber();
    const key = randomUUID();
    await fault('reset');
    const answer = await sendUntilAnswered(chat, to, key);
    expect(Object(answer.body).details).toMatchObject({ outcome: 'unknown' });
    await control('chat/senders', { phone_number: chat.senderPhone, online: false }, stack.sandboxUrl);
    await advance(300);
    await eventually(async () =>
      expect(errorOf(await sendUntilAnswered(chat, freshCustomerNumber())).error_code).toBe('SENDER_OFFLINE'),
    );
    expect((await sendUntilAnswered(chat, to, key)).text).toBe(answer.text);
    expect(await sentTo(stack, to)).toHaveLength(1);
  });

  test('that is never cleared up costs nothing: after a day of silence the money is free again', async () => {
    const chat = await chatAccount(stack);
    const to = freshCustomerNumber();
    const key = randomUUID();
    await fault('reset');
    const answer = await sendUntilAnswered(chat, to, key);
    const reserved = async () => (await balanceOf(chat.api)).reserved_balance;
    expect(await reserved()).toBe('0.05');
    await advance(day - 600);
    const { conversation_uuid } = Object(answer.body).details;
    expect(await messageOf(chat, conversation_uuid)).toMatchObject({ status: 'unknown' });
    expect(await reserved()).toBe('0.05');
    await advance(601);
    await eventually(async () => expect(await reserved()).toBe('0.00'));
    expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00' });
    expect((await sendUntilAnswered(chat, to)).status).toBe(200);
    expect(await sentTo(stack, to)).toHaveLength(2);
  });

  test('that refuses a text leaves the assistant on; one that is taken switches it off', async () => {
    const chat = await chatAccount(stack);
    const to = freshCustomerNumber();
    const { conversation_uuid: uuid } = sentBody(await sendUntilAnswered(chat, to));
    const body = { sender_id: chat.senderId, recipient_phone: to, message: 'Hello' };
    const text = (key = randomUUID()) => chat.api.post(freeformPath, body, { 'idempotency-key': key });
    await fault('reject');
    expect(errorOf(await text())).toEqual({ status: 422, error_code: 'SEND_FAILED' });
    expect(await readConversation(chat, uuid)).toMatchObject({ ai_enabled: true });
    await fault('garbage', true);
    // The answer waits for the callback for a second; the same request later has it, too.
    const key = randomUUID();
    await eventually(async () => expect((await text(key)).status).toBe(200));
    expect(await readConversation(chat, uuid)).toMatchObject({ ai_enabled: false });
  });

  test.each(['error', 'reset', 'garbage', 'timeout'])(
    'that loses the answer to what was sent (%s) is resolved by the callback, paid, and not sent again',
    async (mode) => {
      const chat = await chatAccount(stack);
      const to = freshCustomerNumber();
      const key = randomUUID();
      await fault(mode, true);
      await sendUntilAnswered(chat, to, key);
      const resolved = await eventually(async () => {
        const again = await sendUntilAnswered(chat, to, key);
        if (again.status !== 200) throw new Error(again.text);
        return sendChatAppTemplate.success.schema.parse(again.body);
      });
      expect(await messageOf(chat, resolved.conversation_uuid)).toMatchObject({
        status: 'sent',
        message_sid: resolved.message_sid,
      });
      expect(await sentTo(stack, to)).toHaveLength(1);
      await eventually(async () =>
        expect(await balanceOf(chat.api)).toMatchObject({
          total_balance: '99.95',
          reserved_balance: '0.00',
        }),
      );
    },
  );
});
