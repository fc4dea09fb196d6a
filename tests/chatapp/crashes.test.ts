import { randomUUID } from 'node:crypto';
import { getConversation, getMe, sendChatAppTemplate } from '@parley/contracts';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Api, createApi } from '../support/api.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await startStack({ copies: { gateway: 2, accounts: 1, assistants: 1, messaging: 2 } });
});
afterAll(async () => {
  await stack?.stop();
});

const path = '/api/user/chatapp/send';
const greeting = (chat: ChatAccount, to: string) => ({
  sender_id: chat.senderId,
  template_id: chat.templates.greeting,
  recipient_phone: to,
});
const balanceOf = async (api: Api) => getMe.success.schema.parse((await api.get('/api/user/me')).body);
const errorCode = ({ body }: Answer): unknown => Object(body).error_code;

/** Sends under one key until the answer is final: limits, outages and a first try that still runs are waited out. */
async function sendUntilAnswered(chat: ChatAccount, to: string, key = randomUUID()): Promise<Answer> {
  return eventually(async () => {
    const url = stack.gatewayUrls[Math.floor(Math.random() * stack.gatewayUrls.length)] ?? '';
    const api = createApi(url, chat.account.key);
    const answer = await api.post(path, greeting(chat, to), { 'idempotency-key': key });
    if ([429, 503, 409].includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  }, 60_000);
}

describe('money', () => {
  test('for ten pays for exactly ten of fifty concurrent sends, and is then gone', async () => {
    const chat = await chatAccount(stack, { balance: 0.5 });
    const phones = Array.from({ length: 50 }, freshCustomerNumber);
    const answers = await Promise.all(phones.map((to) => sendUntilAnswered(chat, to)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter((answer) => errorCode(answer) === 'INSUFFICIENT_BALANCE')).toHaveLength(40);
    expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '0.00', reserved_balance: '0.00' });
  });
});

describe('a fault of the chat platform', () => {
  const fault = (mode: string, takesEffect = false) =>
    control(
      'faults',
      { provider: 'chat', operation: 'send_message', mode, times: 1, takes_effect: takesEffect },
      stack.sandboxUrl,
    );
  const messageOf = async (chat: ChatAccount, uuid: string) =>
    getConversation.success.schema.parse((await chat.api.get(`/api/user/conversations/${uuid}`)).body).data
      .messages[0];

  test('that is a refusal is SEND_FAILED, costs nothing, and the request may be made again', async () => {
    const chat = await chatAccount(stack);
    const key = randomUUID();
    const to = freshCustomerNumber();
    await fault('reject');
    const answer = await sendUntilAnswered(chat, to, key);
    expect([answer.status, errorCode(answer)]).toEqual([422, 'SEND_FAILED']);
    expect(Object(answer.body).details).toMatchObject({ outcome: 'not_sent' });
    expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.00' });
    expect((await sendUntilAnswered(chat, to, key)).status).toBe(200);
  });

  test.each(['error', 'reset', 'garbage', 'timeout'])(
    'that leaves the outcome open (%s) is recorded so within 10 s, and never sent again',
    async (mode) => {
      const chat = await chatAccount(stack);
      const to = freshCustomerNumber();
      const key = randomUUID();
      await fault(mode);
      const startedAt = performance.now();
      const answer = await sendUntilAnswered(chat, to, key);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      expect([answer.status, errorCode(answer)]).toEqual([422, 'SEND_FAILED']);
      const { outcome, conversation_uuid } = Object(answer.body).details;
      expect(outcome).toBe('unknown');
      expect(await messageOf(chat, conversation_uuid)).toMatchObject({ status: 'unknown' });
      const again = await sendUntilAnswered(chat, to, key);
      expect(again.text).toBe(answer.text);
      expect(await sentTo(stack, to)).toHaveLength(1);
      expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.05' });
    },
    30_000,
  );

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
      }, 15_000);
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
    30_000,
  );
});

describe('kill -9', () => {
  test('of messaging, accounts and NATS at random moments loses no acknowledged send and sends nothing twice', async () => {
    const chats = await Promise.all(Array.from({ length: 8 }, () => chatAccount(stack)));
    const phones: string[] = [];
    const outcomes: Answer[] = [];
    let isOver = false;
    const clients = chats.flatMap((chat) =>
      Array.from({ length: 2 }, async () => {
        while (!isOver) {
          const to = freshCustomerNumber();
          phones.push(to);
          outcomes.push(await sendUntilAnswered(chat, to));
        }
      }),
    );
    for (const victim of ['messaging', 'nats', 'messaging-2', 'accounts', 'messaging']) {
      const before = outcomes.length;
      await eventually(() => expect(outcomes.length).toBeGreaterThan(before + 20), 30_000);
      await stack.signal(victim, 'SIGKILL');
    }
    isOver = true;
    await Promise.all(clients);
    const accepted = outcomes.filter(({ status }) => status === 200);
    const sent = await sentTo(stack);
    const references = sent.map(({ reference }) => reference);
    expect(new Set(references).size).toBe(references.length);
    const acknowledged = new Set(
      accepted.map(({ body }) => `message-${sendChatAppTemplate.success.schema.parse(body).message_id}`),
    );
    expect(acknowledged.size).toBe(accepted.length);
    expect([...acknowledged].filter((reference) => !references.includes(reference))).toEqual([]);
    const recipients = sent.map(({ to }) => to).filter((to) => phones.includes(to));
    expect(new Set(recipients).size).toBe(recipients.length);
    const others = outcomes.filter(({ status }) => status !== 200);
    for (const answer of others) expect(errorCode(answer)).toBe('SEND_FAILED');
    await eventually(async () => {
      for (const chat of chats)
        expect(await balanceOf(chat.api)).toMatchObject({ reserved_balance: expect.stringMatching(/^0\./) });
    }, 20_000);
  }, 180_000);
});
