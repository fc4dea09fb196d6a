import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { chatAccount, sentTo, timesModelAsked } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { balanceOf, conversationWith, readConversation, repliesIn, whyNotAnswered } from './sending.ts';

/** A stack of its own: its clock goes forward. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(async () => {
  await stack?.stop();
});

test('a machine that answers each reply has no more of them than anybody could read, until it has been quiet', async () => {
  const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
  const from = freshCustomerNumber();
  const writes = (text: string) =>
    control('chat/inbound', { to: chat.senderPhone, from, text }, stack.sandboxUrl);
  for (let replies = 1; replies <= 30; replies += 1) {
    await writes(`I am away, ${replies}.`);
    await eventually(async () => expect(await sentTo(stack, from)).toHaveLength(replies));
  }
  const uuid = await conversationWith(chat, from);

  const once = `I am still away, as ${from} is.`;
  await writes(once);
  await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['too_many_replies']));
  const error = expect.stringContaining('too many');
  expect((await readConversation(chat, uuid)).messages[0]).toMatchObject({
    author: 'contact',
    text: once,
    error,
  });
  expect(await timesModelAsked(stack, once)).toBe(0);
  await eventually(async () =>
    expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '99.40', reserved_balance: '0.00' }),
  );

  await advanceClock(11 * 60, stack.sandboxUrl);
  await writes('I am back.');
  await eventually(async () => expect((await repliesIn(chat, uuid)).join()).toContain('I am back.'));
});
