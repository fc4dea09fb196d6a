import { setTimeout as pause } from 'node:timers/promises';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { type ChatAccount, chatAccount, sentTo, untilAnswering } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { runParley } from '../support/run-parley.ts';
import { balanceOf, conversationWith, freeformPath, readConversation, repliesIn } from './sending.ts';
import { type SlowModel, startSlowModel, usualAnswer } from './slow-model.ts';

const chapters = Array.from(
  { length: 90 },
  (_, index) => `Chapter ${index}: ${'all that there is. '.repeat(5)}`,
);
/** What is answered at a length that no message holds. */
const novel = 'Tell me everything.';

let model: SlowModel;
let stack: RunningStack;
beforeAll(async () => {
  model = await startSlowModel();
  model.answers(novel, { content: chapters.join('\n\n') });
  stack = await startOwnStack({ env: { LLM_BASE_URL: model.url, LLM_TIMEOUT_MS: '25000' } });
});
afterAll(async () => {
  await stack?.stop();
  model?.close();
});

/** Timers of replies to the account's customers, of those for which `isSo`. */
const timersOf = ({ account }: ChatAccount, isSo = 'true') =>
  readRowsOf(
    stack.databaseUrl,
    'messaging',
    `select from es.timers where kind = 'ai-reply' and payload ->> 'account_id' = '${account.id}' and ${isSo}`,
  );

/** The chat platform takes a message, and does not say so for some seconds. */
const silence = {
  provider: 'chat',
  operation: 'send_message',
  mode: 'timeout',
  times: 1,
  takes_effect: true,
};

/** No reply to the account's customers will be begun again. */
async function untilNoReplyIsDue(chat: ChatAccount): Promise<void> {
  // One that is shown already may not have ended: its timer, moved past, would begin it again.
  await eventually(async () => expect(await balanceOf(chat.api)).toMatchObject({ reserved_balance: '0.00' }));
  await advanceClock(31, stack.sandboxUrl);
  await eventually(async () => expect(await timersOf(chat)).toEqual([]));
}

test('what a person answers while the language model thinks is not answered once more, also while that is on its way', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  const riddle = 'What has keys and opens nothing?';
  const thought = model.thinksAbout(riddle);
  await control('chat/inbound', { to: chat.senderPhone, from, text: riddle }, stack.sandboxUrl);
  await eventually(() => expect(thought.asked.count).toBe(1));
  const uuid = await conversationWith(chat, from);
  await control('faults', silence, stack.sandboxUrl);
  const written = { sender_id: chat.senderId, recipient_phone: from, message: 'A piano.' };
  const sending = chat.api.post(freeformPath, written);
  const authors = async () => (await readConversation(chat, uuid)).messages.map(({ author }) => author);
  await eventually(async () => expect(await authors()).toContain('person'));
  thought.answer();
  expect((await sending).status).toBe(200);
  expect(await authors()).toEqual(['person', 'contact']);
});

test('what a customer writes while the language model thinks is answered together with what they wrote before, once', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  const writes = (message: string) =>
    control('chat/inbound', { to: chat.senderPhone, from, text: message }, stack.sandboxUrl);
  const saga = 'I have to tell you something.';
  const thought = model.thinksAbout(saga);
  await writes(saga);
  await eventually(() => expect(thought.asked.count).toBe(1));
  const question = 'Are you open?';
  model.answers(question, {});
  await writes(question);
  const uuid = await conversationWith(chat, from);
  await eventually(async () => expect(await repliesIn(chat, uuid)).toEqual([usualAnswer]));
  const paidOnce = { total_balance: '99.98', reserved_balance: '0.00' };
  // Its timer would have it looked after for another half a minute.
  await eventually(async () => expect(await balanceOf(chat.api)).toMatchObject(paidOnce));
  thought.answer();
  await untilNoReplyIsDue(chat);
  expect(await repliesIn(chat, uuid)).toEqual([usualAnswer]);
  expect(await balanceOf(chat.api)).toMatchObject(paidOnce);
});

test('an answer that no message holds comes as several, in their order, and is paid once', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  await control('chat/inbound', { to: chat.senderPhone, from, text: novel }, stack.sandboxUrl);
  const uuid = await conversationWith(chat, from);
  const told = async () => {
    const { messages } = await readConversation(chat, uuid);
    return messages.filter(({ author }) => author === 'assistant').toReversed();
  };
  const wordsOf = (texts: readonly (string | null)[]) => texts.join('\n').match(/\S+/g);
  await eventually(async () => {
    const parts = await told();
    expect(wordsOf(parts.map(({ text }) => text))).toEqual(wordsOf(chapters));
    for (const { status, text } of parts) {
      expect(['sent', 'delivered']).toContain(status);
      expect(text).toMatch(/^Chapter/);
    }
  });
  const { length } = await told();
  expect(length).toBe(3);
  const paidOnce = { total_balance: '99.98', reserved_balance: '0.00' };
  await eventually(async () => expect(await balanceOf(chat.api)).toMatchObject(paidOnce));
  await untilNoReplyIsDue(chat);
  expect(await told()).toHaveLength(length);
});

/** An answer of several messages of which only the first has been handed over, and who has written so far, the newest first. */
async function begunAnswer(chat: ChatAccount) {
  const from = freshCustomerNumber();
  await control('faults', silence, stack.sandboxUrl);
  await control('chat/inbound', { to: chat.senderPhone, from, text: novel }, stack.sandboxUrl);
  const uuid = await conversationWith(chat, from);
  const authors = async () => (await readConversation(chat, uuid)).messages.map(({ author }) => author);
  await eventually(async () => expect(await authors()).toEqual(['assistant', 'contact']));
  return { from, authors };
}

/** An account, and the assistant that answers on its sender. */
async function chatWithAssistant() {
  let assistantId = 0;
  const chat = await chatAccount(stack, {
    async assistantId(api) {
      assistantId = await createAssistant(api);
      return assistantId;
    },
  });
  return { chat, assistantId };
}
const stops: [string, (chat: ChatAccount, assistantId: number) => Promise<{ status: number }>][] = [
  [
    'is taken from its sender',
    ({ api, senderId }) => api.put(`/api/user/chatapp/senders/${senderId}`, { assistant_id: null }),
  ],
  ['is deleted', ({ api }, assistantId) => api.delete(`/api/user/assistant/${assistantId}`)],
];
test('of an answer of several messages nothing more comes once a person has written, or nobody is to answer', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const { from, authors } = await begunAnswer(chat);
  const written = { sender_id: chat.senderId, recipient_phone: from, message: 'Call me.' };
  expect((await chat.api.post(freeformPath, written)).status).toBe(200);
  const ended = [{ way: 'a person', chat, authors, expected: ['person', 'assistant', 'contact'] }];
  for (const [way, stop] of stops) {
    const { chat, assistantId } = await chatWithAssistant();
    const { authors } = await begunAnswer(chat);
    expect((await stop(chat, assistantId)).status).toBe(200);
    ended.push({ way, chat, authors, expected: ['assistant', 'contact'] });
  }
  // The rest would be handed over well within that.
  await pause(9_000);
  for (const { way, chat, authors, expected } of ended) {
    await untilNoReplyIsDue(chat);
    expect(await authors(), way).toEqual(expected);
  }
});

test('a customer who is erased while the language model thinks has no answer, and is not on record again by it', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  const confession = 'I am the one who broke it.';
  const thought = model.thinksAbout(confession);
  await control('chat/inbound', { to: chat.senderPhone, from, text: confession }, stack.sandboxUrl);
  await eventually(() => expect(thought.asked.count).toBe(1));
  const person = ['--account', String(chat.account.id), '--subject', from];
  expect((await runParley(['erase', ...person], { PARLEY_HOME: stack.home })).code).toBe(0);
  thought.answer();
  // A reply would be handed over well within that.
  await pause(3_000);
  expect((await chat.api.get('/api/user/conversations')).text).not.toContain(from);
  expect(await sentTo(stack, from)).toEqual([]);
  await untilNoReplyIsDue(chat);
});

test.concurrent.each(stops)(
  'an assistant that %s while the language model thinks answers nothing',
  async (how, stop) => {
    const { chat, assistantId } = await chatWithAssistant();
    const from = freshCustomerNumber();
    const farewell = `Are you still there, or has it gone that ${how}?`;
    const thought = model.thinksAbout(farewell);
    await control('chat/inbound', { to: chat.senderPhone, from, text: farewell }, stack.sandboxUrl);
    await eventually(() => expect(thought.asked.count).toBe(1));
    expect((await stop(chat, assistantId)).status).toBe(200);
    const senders = async () => (await chat.api.get('/api/user/chatapp/senders')).body;
    await eventually(async () => expect(await senders()).toMatchObject({ data: [{ assistant_id: null }] }));
    thought.answer();
    // A reply would be handed over well within that.
    await pause(3_000);
    expect(await sentTo(stack, from)).toEqual([]);
    expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.00' });
  },
);

test('who writes without a pause for the language model to think in is answered all the same', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  const torrent = 'And another thing:';
  model.answers(torrent, { afterMs: 1_000 });
  const writes = () =>
    control('chat/inbound', { to: chat.senderPhone, from, text: torrent }, stack.sandboxUrl);
  await writes();
  const uuid = await conversationWith(chat, from);
  for (let more = 0; more < 60 && (await repliesIn(chat, uuid)).length === 0; more += 1) {
    await writes();
    await pause(250);
  }
  expect(await repliesIn(chat, uuid)).not.toEqual([]);
});

test('what the language model thinks about when its process is told to end, as for a release, is given by that', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  const parting = 'When is the last train?';
  const thought = model.thinksAbout(parting);
  await control('chat/inbound', { to: chat.senderPhone, from, text: parting }, stack.sandboxUrl);
  await eventually(() => expect(thought.asked.count).toBe(1));
  await stack.signal('messaging', 'SIGTERM');
  // Without anything to wait for it would be gone by then.
  await pause(2_000);
  thought.answer();
  await eventually(async () => expect(await sentTo(stack, from)).toHaveLength(1));
  await untilAnswering(chat.api);
  await untilNoReplyIsDue(chat);
  expect([thought.asked.count, (await sentTo(stack, from)).length]).toEqual([1, 1]);
  expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '99.98', reserved_balance: '0.00' });
});

test('a language model that takes its time, as those that reason do, is asked once', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  const dilemma = 'Should I stay or should I go?';
  const asked = model.answers(dilemma, { afterMs: 12_000 });
  await control('chat/inbound', { to: chat.senderPhone, from, text: dilemma }, stack.sandboxUrl);
  const uuid = await conversationWith(chat, from);
  await eventually(async () => expect(await repliesIn(chat, uuid)).toEqual([usualAnswer]));
  expect(asked.count).toBe(1);
});

test('a language model that thinks for longer than a reply waits for its next attempt is asked once', async () => {
  const chat = await chatAccount(stack, { assistantId: createAssistant });
  const from = freshCustomerNumber();
  const epic = 'What is the meaning of it all?';
  const { asked, answer } = model.thinksAbout(epic);
  await control('chat/inbound', { to: chat.senderPhone, from, text: epic }, stack.sandboxUrl);
  await eventually(() => expect(asked.count).toBe(1));
  await advanceClock(15, stack.sandboxUrl);
  const isMoved = "due_at > es.now() + interval '17 seconds'";
  await eventually(async () => expect(await timersOf(chat, isMoved)).toHaveLength(1), 20_000);
  await advanceClock(8, stack.sandboxUrl);
  expect(asked.count).toBe(1);
  answer();
  const uuid = await conversationWith(chat, from);
  await eventually(async () => expect(await repliesIn(chat, uuid)).toEqual([usualAnswer]));
  await untilNoReplyIsDue(chat);
  expect(asked.count).toBe(1);
});

test('while the language model is slow for the customers of one account, those of others are answered', async () => {
  const answering = { assistantId: createAssistant };
  const [busy, other] = await Promise.all([chatAccount(stack, answering), chatAccount(stack, answering)]);
  const writes = (to: string, from: string, text: string) =>
    control('chat/inbound', { to, from, text }, stack.sandboxUrl);
  const puzzle = 'What was before the beginning?';
  const { asked } = model.thinksAbout(puzzle);
  await Promise.all(
    Array.from({ length: 300 }, () => writes(busy.senderPhone, freshCustomerNumber(), puzzle)),
  );
  await eventually(() => expect(asked.count).toBeGreaterThanOrEqual(16));
  const customer = freshCustomerNumber();
  await writes(other.senderPhone, customer, 'When do you open?');
  const uuid = await conversationWith(other, customer);
  // Behind the others it would wait for longer than this does, however quick the machine is.
  await eventually(async () => expect(await repliesIn(other, uuid)).toEqual([usualAnswer]));
  // Begun again, they take no more places than before.
  await advanceClock(31, stack.sandboxUrl);
  await eventually(async () => expect(await timersOf(busy, 'due_at <= es.now()')).toEqual([]));
  expect(asked.most).toBe(16);
});
