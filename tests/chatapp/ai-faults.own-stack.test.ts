import { setTimeout as pause } from 'node:timers/promises';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { type ChatAccount, chatAccount, sentTo, timesModelAsked } from '../support/chat.ts';
import { notification, postCallback } from '../support/chat-callbacks.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { setAside } from '../support/set-aside.ts';
import {
  balanceOf,
  conversationWith,
  freeformPath,
  readConversation,
  repliesIn,
  whyNotAnswered,
} from './sending.ts';

/** A stack of its own: faults hit whoever comes next, and its clock goes forward. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(async () => {
  await stack?.stop();
});

const fault = (mode: string, times: number) =>
  control('faults', { provider: 'llm', operation: 'complete', mode, times }, stack.sandboxUrl);
/** A reply that failed is begun again after 30 s of the platform's clock. */
const untilNextTry = () => advanceClock(31, stack.sandboxUrl);
/** Replies are begun again until `probe` resolves: one that is still under way then has its next turn 30 s later. */
async function throughNextTries<T>(probe: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < 4; tries += 1) {
    await untilNextTry();
    const outcome = await eventually(probe, 2_000).then(
      (value) => ({ value }),
      () => null,
    );
    if (outcome) return outcome.value;
  }
  return eventually(probe);
}

const writes = (chat: ChatAccount, from: string, text: string) =>
  control('chat/inbound', { to: chat.senderPhone, from, text }, stack.sandboxUrl);

/** Which attempts at replies are to come. */
async function nextAttempts(chat: ChatAccount): Promise<readonly unknown[]> {
  const timers = `select payload -> 'attempt' as attempt from es.timers
    where kind = 'ai-reply' and payload ->> 'account_id' = '${chat.account.id}'`;
  return (await readRowsOf(stack.databaseUrl, 'messaging', timers)).map(({ attempt }) => attempt);
}

const noReplyIsDue = async (chat: ChatAccount) => expect(await nextAttempts(chat)).toEqual([]);

/** What the contact wrote is on record, and no reply to it will be begun again. */
async function untilGivenUp(chat: ChatAccount, from: string): Promise<string> {
  const uuid = await conversationWith(chat, from);
  await eventually(async () => {
    expect((await readConversation(chat, uuid)).messages).not.toEqual([]);
    await noReplyIsDue(chat);
  });
  return uuid;
}

describe('a reply that is refused for good', () => {
  test('for want of money is not thought of', async () => {
    const chat = await chatAccount(stack, { balance: 0, assistantId: (api) => createAssistant(api) });
    const from = freshCustomerNumber();
    const text = `Unpaid of ${from}`;
    await writes(chat, from, text);
    const uuid = await untilGivenUp(chat, from);
    expect(await timesModelAsked(stack, text)).toBe(0);
    const error = expect.stringContaining('balance');
    expect((await readConversation(chat, uuid)).messages).toMatchObject([{ author: 'contact', text, error }]);
    await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['insufficient_balance']));
  });

  test('by the language model is not asked for again, and costs nothing', async () => {
    const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
    const from = freshCustomerNumber();
    const text = `Unthinkable of ${from}`;
    await fault('reject', 1);
    await writes(chat, from, text);
    const uuid = await untilGivenUp(chat, from);
    expect(await timesModelAsked(stack, text)).toBe(1);
    const error = expect.stringContaining('language model');
    expect((await readConversation(chat, uuid)).messages).toMatchObject([{ author: 'contact', text, error }]);
    expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.00' });
    await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['model_refused']));
  });

  test('by the platform is not tried again', async () => {
    const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
    const from = freshCustomerNumber();
    const text = `Refused of ${from}`;
    const refusal = { provider: 'chat', operation: 'send_message', mode: 'reject', times: 1 };
    await control('faults', refusal, stack.sandboxUrl);
    await writes(chat, from, text);
    const uuid = await untilGivenUp(chat, from);
    expect(await timesModelAsked(stack, text)).toBe(1);
    expect((await readConversation(chat, uuid)).messages).toMatchObject([
      { author: 'assistant', status: 'failed' },
      { author: 'contact', text },
    ]);
    expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.00' });
    await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['send_failed']));
  });
});

test('a reply that lacks only what is set aside for something else is given once that is free again', async () => {
  const chat = await chatAccount(stack, { balance: 1, assistantId: (api) => createAssistant(api) });
  const giveBack = await setAside(stack, chat.account.id, 1_000_000);
  const from = freshCustomerNumber();
  const text = `Later of ${from}`;
  await writes(chat, from, text);
  const uuid = await conversationWith(chat, from);
  // It has been tried, and is to be tried once more.
  await throughNextTries(async () => expect(await nextAttempts(chat)).toContain(3));
  expect(await timesModelAsked(stack, text)).toBe(0);
  await giveBack();
  await throughNextTries(async () => expect(await repliesIn(chat, uuid)).toHaveLength(1));
  await eventually(async () => expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '0.98' }));
  expect(await whyNotAnswered(chat)).toEqual([]);
});

test('a reply that the platform may have taken is not on record as none', async () => {
  const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
  const from = freshCustomerNumber();
  const lost = { provider: 'chat', operation: 'send_message', mode: 'timeout', times: 1 };
  await control('faults', lost, stack.sandboxUrl);
  await writes(chat, from, `Perhaps answered, of ${from}`);
  const uuid = await conversationWith(chat, from);
  await eventually(async () =>
    expect((await readConversation(chat, uuid)).messages).toMatchObject([
      { author: 'assistant', status: 'unknown' },
      { author: 'contact', error: null },
    ]),
  );
  // For a second the platform may yet tell; then the reply is answered as one that may have been sent.
  await pause(3_000);
  await untilNextTry();
  await untilGivenUp(chat, from);
  expect(await whyNotAnswered(chat)).toEqual([]);
});

test('a conversation that the language model refuses is answered by what was said last', async () => {
  const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
  const from = freshCustomerNumber();
  const [first, second] = [`Early of ${from}`, `Late of ${from}`];
  await writes(chat, from, first);
  const uuid = await conversationWith(chat, from);
  await eventually(async () => expect(await repliesIn(chat, uuid)).toHaveLength(1));
  await fault('reject', 1);
  await writes(chat, from, second);
  await eventually(async () => expect((await repliesIn(chat, uuid)).join()).toContain(second));
  expect(await timesModelAsked(stack, second)).toBe(2);
});

test('what cannot be answered for five minutes is on record as not answered, once, and its conversation says so', async () => {
  const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
  const from = freshCustomerNumber();
  const text = `Unheard of ${from}`;
  await fault('error', 1_000);
  await writes(chat, from, text);
  for (let tries = 1; tries <= 10; tries += 1) {
    await eventually(async () => expect(await timesModelAsked(stack, text)).toBe(tries));
    expect(await whyNotAnswered(chat)).toEqual([]);
    await untilNextTry();
  }
  const uuid = await untilGivenUp(chat, from);
  await fault('error', 0);
  await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['given_up']));
  const { id, ...message } = (await readConversation(chat, uuid)).messages[0] ?? {};
  const error = expect.stringContaining('five minutes');
  expect(message).toMatchObject({ author: 'contact', text, status: 'received', error });
  expect((await chat.api.get(`/api/user/history?resource=message/${id}`)).body).toMatchObject({
    data: [{ event: 'MessageNotAnswered', before: { error: null }, after: { error } }, {}],
  });
  await untilNextTry();
  expect(await sentTo(stack, from)).toEqual([]);
  expect(await whyNotAnswered(chat)).toEqual(['given_up']);
});

test('what was written before a person took over is not answered, also when replies are on again', async () => {
  const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
  const from = freshCustomerNumber();
  const [before, after] = [`Before of ${from}`, `After of ${from}`];
  await fault('error', 1_000);
  await writes(chat, from, before);
  await eventually(async () => expect(await timesModelAsked(stack, before)).toBeGreaterThan(0));
  const uuid = await conversationWith(chat, from);
  const text = { sender_id: chat.senderId, recipient_phone: from, message: 'A person answers.' };
  expect((await chat.api.post(freeformPath, text)).status).toBe(200);
  expect((await chat.api.post(`/api/user/conversations/${uuid}/enable-ai`)).status).toBe(200);
  await fault('error', 0);
  await untilNextTry();
  await untilGivenUp(chat, from);
  expect(await repliesIn(chat, uuid)).toEqual([]);
  await writes(chat, from, after);
  await eventually(async () => expect(await repliesIn(chat, uuid)).toHaveLength(1));
  expect((await repliesIn(chat, uuid))[0]).toContain(after);
});

test('what is told when its window has closed is not thought of, and is on record as not answered', async () => {
  const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
  const number = { phone_number: chat.senderPhone };
  const platform = await control<{ phone_number_id: string; waba_id: string }>(
    'chat/senders',
    number,
    stack.sandboxUrl,
  );
  const from = freshCustomerNumber();
  const text = `Yesterday of ${from}`;
  const aDayAgo = Math.floor(Date.now() / 1_000) - 25 * 60 * 60;
  const late = notification(platform.waba_id, 'messages', {
    metadata: { phone_number_id: platform.phone_number_id },
    messages: [
      {
        id: `wamid.${from}`,
        from: from.slice(1),
        timestamp: String(aDayAgo),
        type: 'text',
        text: { body: text },
      },
    ],
  });
  expect((await postCallback(stack.baseUrl, late)).status).toBe(200);
  await untilNextTry();
  const uuid = await untilGivenUp(chat, from);
  expect(await timesModelAsked(stack, text)).toBe(0);
  const error = expect.stringContaining('window');
  expect((await readConversation(chat, uuid)).messages).toMatchObject([{ author: 'contact', text, error }]);
  await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['window_closed']));
});

describe('while the language model fails', () => {
  test.each(['error', 'reset', 'garbage', 'timeout'])(
    'with %s nothing is sent, charged or set aside; once it is back the conversation goes on',
    async (mode) => {
      const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
      const from = freshCustomerNumber();
      const [first, second] = [`First of ${from}`, `Second of ${from}`];
      await fault(mode, 1_000);
      await writes(chat, from, first);
      await eventually(async () => expect(await timesModelAsked(stack, first)).toBeGreaterThan(0));
      await throughNextTries(async () => expect(await timesModelAsked(stack, first)).toBeGreaterThan(1));
      const uuid = await conversationWith(chat, from);
      const untouched = { total_balance: '100.00', reserved_balance: '0.00' };
      expect(await balanceOf(chat.api)).toMatchObject(untouched);
      expect(await sentTo(stack, from)).toEqual([]);
      expect(await readConversation(chat, uuid)).toMatchObject({
        ai_enabled: true,
        messages: [{ author: 'contact', text: first }],
      });

      await fault(mode, 0);
      await writes(chat, from, second);
      await eventually(async () => expect((await repliesIn(chat, uuid)).join()).toContain(second));
      // What was asked in the meantime is answered by the same reply.
      await throughNextTries(() => noReplyIsDue(chat));
      await eventually(async () =>
        expect(await balanceOf(chat.api)).toMatchObject({
          total_balance: '99.98',
          reserved_balance: '0.00',
        }),
      );
      expect(await sentTo(stack, from)).toHaveLength(1);
    },
  );
});
