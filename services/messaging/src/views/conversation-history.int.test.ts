import type { ConversationEvent, MessageEvent } from '@parley/contracts';
import { createTestStore, golden, rowsRead, testMetadata, vacuum } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { conversationStream } from '../conversation/conversation.ts';
import { messageStream } from '../message/message.ts';
import {
  historyUpTo,
  isAnswered,
  isAnsweredByHand,
  isFollowed,
  isTurn,
  isUnderWay,
} from './conversation-history.ts';
import { conversationsView, messagesTable } from './conversations-view.ts';

const conversationId = 4;
const ofMessage = (message_id: number, events: readonly MessageEvent[]) =>
  events.map((event) => ({ ...event, data: { ...event.data, message_id } }) as MessageEvent);
const [receipt, start, failure] = golden<MessageEvent>(
  'MessageReceived.v1',
  'MessageSendStarted.v1',
  'MessageFailed.v1',
);
const outcomes = {
  refused: golden<MessageEvent>('MessageFailed.v1'),
  taken: golden<MessageEvent>('MessageSent.v1'),
  undeliverable: golden<MessageEvent>('MessageSent.v1', 'MessageUndeliverable.v1'),
  unknown: golden<MessageEvent>('MessageOutcomeUnknown.v1'),
} as const;

/** A conversation that is written by one message after the other. */
async function newConversation() {
  const store = await createTestStore([conversationsView]);
  onTestFinished(() => store.close());

  /** The position of the message's first event. */
  async function record(id: number, ...events: readonly MessageEvent[]): Promise<number> {
    const streamId = messageStream(id);
    const message = { streamId, category: 'message', accountId: 3, events, metadata: testMetadata };
    await store.append({ ...message, expectedVersion: 0 });
    return (await store.readStream(streamId))[0]?.position ?? 0;
  }
  if (
    receipt?.type !== 'MessageReceived' ||
    start?.type !== 'MessageSendStarted' ||
    failure?.type !== 'MessageFailed'
  )
    throw new Error('Other golden files.');
  return {
    /** A message that quotes another one. */
    quote: (id: number, sid: string, text: string | null, kind = 'text') =>
      record(id, {
        ...receipt,
        data: {
          ...receipt.data,
          message_id: id,
          kind,
          text,
          message_sid: `wamid.${id}`,
          in_reply_to_sid: sid,
        },
      }),
    /** The contact deletes a message. */
    erase: (id: number, sid: string) =>
      record(id, {
        ...receipt,
        data: { ...receipt.data, message_id: id, kind: 'revoke', text: null, in_reply_to_sid: sid },
      }),
    giveUpNumber: () =>
      store.append({
        streamId: conversationStream(conversationId),
        category: 'conversation',
        accountId: 3,
        events: golden<ConversationEvent>('ConversationStarted.v1', 'ConversationContactMoved.v1'),
        metadata: testMetadata,
        expectedVersion: 0,
      }),
    history: (position: number) => historyUpTo(store.pool, { conversationId, position }),
    hear: (id: number, text: string | null, kind = 'text') =>
      record(id, { ...receipt, data: { ...receipt.data, message_id: id, kind, text } }),
    say: (id: number, body: string) =>
      record(id, { ...start, data: { ...start.data, message_id: id, body } }),
    fail: (id: number, body: string) =>
      record(
        id,
        { ...start, data: { ...start.data, message_id: id, body } },
        { ...failure, data: { ...failure.data, message_id: id } },
      ),
    async isAnsweredBy(
      messageId: number,
      id: number,
      became: readonly MessageEvent[],
      isSo: typeof isAnswered = isAnswered,
    ) {
      const position = await record(messageId, {
        ...receipt,
        data: { ...receipt.data, message_id: messageId },
      });
      const reply = { ...start, data: { ...start.data, message_id: id, in_reply_to: messageId } };
      await record(id, reply, ...ofMessage(id, became));
      return isSo(store.pool, { conversationId, position });
    },
    /** Whether a message of a contact is answered by hand before something else is sent, and after it has come to this. */
    async isByHand(
      messageId: number,
      sent: Partial<typeof start.data>,
      became: readonly MessageEvent[] = [],
    ) {
      const id = messageId + 1;
      const heard = { ...receipt, data: { ...receipt.data, message_id: messageId } };
      const position = await record(messageId, heard);
      const isByHand = () => isAnsweredByHand(store.pool, { conversationId, position });
      const isBefore = await isByHand();
      const written = { ...start, data: { ...start.data, ...sent, message_id: id } };
      await record(id, written, ...ofMessage(id, became));
      return [isBefore, await isByHand()];
    },
    isAnswered: (position: number) => isAnswered(store.pool, { conversationId, position }),
    isFollowed: (position: number) => isFollowed(store.pool, { conversationId, position }),
    isTurn: (position: number) => isTurn(store.pool, { conversationId, position }),
    answer: (messageId: number, id: number, became: readonly MessageEvent[] = outcomes.taken) =>
      record(
        id,
        { ...start, data: { ...start.data, message_id: id, in_reply_to: messageId } },
        ...ofMessage(id, became),
      ),
    giveUp: (messageId: number) =>
      store.append({
        streamId: messageStream(messageId),
        category: 'message',
        accountId: 3,
        events: ofMessage(messageId, golden('MessageNotAnswered.v1')),
        metadata: testMetadata,
        expectedVersion: 1,
      }),
    upTo: async (position: number) =>
      (await historyUpTo(store.pool, { conversationId, position })).map(({ text }) => text),
  };
}

test('what was said before a message is known to whoever answers it, whatever ids the copies have given out', async () => {
  const { hear, say, fail, upTo } = await newConversation();
  await hear(1_001, 'Hi');
  await say(1, 'Hello');
  await fail(5, 'Hello again');
  await hear(2, 'When is it ready?');
  await say(1_002, 'Tomorrow');
  const position = await hear(2_001, 'And where?');
  await hear(3, 'Never mind');
  await say(1_003, 'Here');
  expect(await upTo(position)).toEqual([
    'Hi',
    'Hello',
    'When is it ready?',
    'Tomorrow',
    'And where?',
    'Here',
  ]);
});

test('a message is known to whoever answers it, however much was written and sent after it', async () => {
  const { hear, upTo } = await newConversation();
  const position = await hear(1, 'What do these cost?');
  for (let id = 2; id <= 20; id += 1) await hear(id, null);
  const next = await hear(21, 'And these?');
  for (let id = 22; id <= 60; id += 1) await hear(id, id % 2 === 0 ? null : `Number ${id}`);
  expect(await upTo(position)).toEqual(['What do these cost?']);
  expect(await upTo(next)).toEqual(['What do these cost?', 'And these?']);
});

test('a message is known to whoever answers it, however much was answered since', async () => {
  const { hear, say, upTo } = await newConversation();
  const position = await hear(1, 'What do these cost?');
  for (let id = 2; id <= 40; id += 1) await say(id, `Answer ${id}`);
  expect((await upTo(position)).slice(0, 2)).toEqual(['What do these cost?', 'Answer 11']);
});

test('a message is answered once a reply was handed over, and not while one that may be put off is', async () => {
  const { isAnsweredBy } = await newConversation();
  expect({
    underWay: await isAnsweredBy(1, 11, []),
    refused: await isAnsweredBy(2, 12, outcomes.refused),
    taken: await isAnsweredBy(3, 13, outcomes.taken),
    undeliverable: await isAnsweredBy(4, 14, outcomes.undeliverable),
    unknown: await isAnsweredBy(5, 15, outcomes.unknown),
  }).toEqual({ underWay: false, refused: false, taken: true, undeliverable: true, unknown: true });
});

test('a reply answers what was written before its message too, and not what was written after it', async () => {
  const { hear, answer, isAnswered } = await newConversation();
  const positions = [await hear(1, 'Hi'), await hear(2, 'When is it ready?')];
  await answer(2, 11);
  positions.push(await hear(3, 'And where?'));
  expect(await Promise.all(positions.map(isAnswered))).toEqual([true, true, false]);
});

test('a message is left to the reply to the next one that has words, unless there is none to that for good', async () => {
  const { hear, giveUp, isFollowed } = await newConversation();
  const position = await hear(1, 'Hi');
  await hear(2, null);
  await hear(4, '👍', 'reaction');
  expect(await isFollowed(position)).toBe(false);
  await hear(3, 'When is it ready?');
  expect(await isFollowed(position)).toBe(true);
  await giveUp(3);
  expect(await isFollowed(position)).toBe(false);
});

test('of messages that nothing answers every tenth has a turn, counted from the one that was answered last', async () => {
  const { hear, answer, giveUp, isTurn } = await newConversation();
  const turnsOf = async (from: number, to: number) => {
    const turns: number[] = [];
    for (let id = from; id <= to; id += 1)
      if (await isTurn(await hear(id, id === 3 ? null : `Number ${id}`))) turns.push(id);
    return turns;
  };
  // The third has no words.
  expect(await turnsOf(1, 23)).toEqual([11, 21]);
  await answer(11, 101, outcomes.refused);
  expect(await turnsOf(24, 31)).toEqual([31]);
  await answer(31, 102, []);
  expect(await turnsOf(32, 41)).toEqual([41]);
  // What is given up does not count.
  await giveUp(35);
  expect(await turnsOf(42, 42)).toEqual([42]);
});

test('a message whose turn it is has none once a later one is answered, or is about to be', async () => {
  const { hear, answer, isTurn } = await newConversation();
  for (let id = 1; id < 10; id += 1) await hear(id, `Number ${id}`);
  const tenth = await hear(10, 'Number 10');
  await hear(11, 'Number 11');
  expect(await isTurn(tenth)).toBe(true);
  await answer(11, 101, []);
  expect(await isTurn(tenth)).toBe(false);
});

test('a message is not given up while a reply to it is being handed over', async () => {
  const { isAnsweredBy } = await newConversation();
  expect({
    underWay: await isAnsweredBy(1, 11, [], isUnderWay),
    refused: await isAnsweredBy(2, 12, outcomes.refused, isUnderWay),
    taken: await isAnsweredBy(3, 13, outcomes.taken, isUnderWay),
    undeliverable: await isAnsweredBy(4, 14, outcomes.undeliverable, isUnderWay),
  }).toEqual({ underWay: true, refused: false, taken: true, undeliverable: true });
});

test('a message is answered by hand once a person has written after it, unless that has failed', async () => {
  const { isByHand } = await newConversation();
  const person = { author: 'person', kind: 'freeform' } as const;
  for (const [id, became] of [[], outcomes.unknown, outcomes.taken].entries())
    expect(await isByHand(id * 10 + 1, person, became)).toEqual([false, true]);
  expect(await isByHand(41, person, outcomes.refused)).toEqual([false, false]);
  expect(await isByHand(51, { ...person, kind: 'template' })).toEqual([false, false]);
  expect(await isByHand(61, { ...person, author: 'assistant' })).toEqual([false, false]);
});

test('what a conversation has had for years is not looked through for a message that is quoted', async () => {
  const store = await createTestStore([conversationsView]);
  onTestFinished(() => store.close());
  await store.pool.query(
    `insert into ${messagesTable} (id, conversation_id, position, direction, author, type, body, message_sid, status,
       created_at, goes_back_to)
     select n, $1, n, 'inbound', 'contact', 'text', 'Yes', 'wamid.' || n, 'received', now(),
       '{"in_reply_to_sid":"wamid.of-others"}'
     from generate_series(1, 20000) n`,
    [conversationId],
  );
  await vacuum(store.pool, messagesTable);
  const before = await rowsRead(store.pool, messagesTable);
  const history = await historyUpTo(store.pool, { conversationId, position: 20_000 });
  expect(history.at(-1)).toMatchObject({ text: 'Yes', quoted: null });
  expect((await rowsRead(store.pool, messagesTable)) - before).toBeLessThan(5_000);
});

test('whoever answers a message is told the words of the one that it quotes, whoever wrote it', async () => {
  const { answer, hear, quote, history } = await newConversation();
  await hear(1, 'When is it ready?');
  await answer(1, 11);
  const [taken] = golden<MessageEvent>('MessageSent.v1');
  const sid = taken?.type === 'MessageSent' ? taken.data.message_sid : '';
  await quote(2, sid, 'Make it Tuesday');
  await quote(3, 'wamid.2', 'No, Friday');
  const position = await quote(4, 'wamid.unheard', 'Or this?');
  const [, { text: answered } = { text: '' }, ...quoting] = await history(position);
  expect(quoting).toMatchObject([
    { text: 'Make it Tuesday', quoted: answered, references: { in_reply_to_sid: sid } },
    { text: 'No, Friday', quoted: 'Make it Tuesday' },
    { text: 'Or this?', quoted: null },
  ]);
});

test('what the contact has deleted is not told to whoever answers, and covers nothing that they wrote before', async () => {
  const { hear, quote, erase, history, isFollowed } = await newConversation();
  const first = await hear(1, 'When is it ready?');
  await quote(2, 'wamid.other', 'My card is 4242');
  expect(await isFollowed(first)).toBe(true);
  await quote(3, 'wamid.2', 'My card is 4343', 'edit');
  const last = await erase(4, 'wamid.2');
  expect(await isFollowed(first)).toBe(false);
  expect(await history(last)).toMatchObject([{ text: 'When is it ready?' }]);
});

test('what the contact has deleted is not told to whoever answers where that is told before the message', async () => {
  const { quote, erase, history } = await newConversation();
  await erase(1, 'wamid.2');
  await quote(2, 'wamid.other', 'My card is 4242');
  await quote(3, 'wamid.2', 'My card is 4343', 'edit');
  const position = await quote(4, 'wamid.2', 'Not that one');
  expect(await history(position)).toMatchObject([{ text: 'Not that one', quoted: null }]);
});

test('what was said before a contact gave up their number is not told to whoever answers who has it since', async () => {
  const { hear, say, giveUpNumber, upTo } = await newConversation();
  await hear(1, 'My card is 4242');
  const last = await hear(2, 'When is it ready?');
  await giveUpNumber();
  expect(await upTo(last)).toEqual(['My card is 4242', 'When is it ready?']);
  await say(3, 'Tomorrow, Ada');
  const position = await hear(4, 'Who is this?');
  expect(await upTo(position)).toEqual(['Tomorrow, Ada', 'Who is this?']);
});

test('a message that quotes what was deleted since is told without the quoted words', async () => {
  const { quote, erase, history } = await newConversation();
  await quote(1, 'wamid.other', 'My card is 4242');
  const position = await quote(2, 'wamid.1', 'Not that one');
  await erase(3, 'wamid.1');
  expect(await history(position)).toMatchObject([{ text: 'Not that one', quoted: null }]);
});

test('of reactions to a message the last one is told to whoever answers, and none once it is taken back', async () => {
  const { hear, quote, history } = await newConversation();
  await quote(1, 'wamid.friday', '👍', 'reaction');
  await quote(2, 'wamid.hours', '🙂', 'reaction');
  await quote(3, 'wamid.hours', '🙁', 'reaction');
  const texts = async (position: number) => (await history(position)).map(({ text }) => text);
  expect(await texts(await hear(4, 'One moment'))).toEqual(['👍', '🙁', 'One moment']);
  await quote(5, 'wamid.friday', null, 'reaction');
  expect(await texts(await hear(6, 'I have to look'))).toEqual(['🙁', 'One moment', 'I have to look']);
});

test('what is written to a message, and a reaction to it, are both told to whoever answers', async () => {
  const { hear, quote, history } = await newConversation();
  await quote(1, 'wamid.friday', 'Rather Monday', 'text');
  await quote(2, 'wamid.friday', '👍', 'reaction');
  await quote(3, 'wamid.friday', 'Or Tuesday', 'text');
  const said = await history(await hear(4, 'Which?'));
  expect(said.map(({ text }) => text)).toEqual(['Rather Monday', '👍', 'Or Tuesday', 'Which?']);
});
