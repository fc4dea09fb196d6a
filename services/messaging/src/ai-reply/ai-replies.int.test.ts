import type { ConversationEvent, MessageEvent } from '@parley/contracts';
import { Aggregates, type NewEvent } from '@parley/event-store';
import { createTestStore, golden, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { conversationStream } from '../conversation/conversation.ts';
import { Conversations } from '../conversation/conversations.ts';
import { messageStream } from '../message/message.ts';
import { MessageLog } from '../message/message-log.ts';
import { conversationsView } from '../views/conversations-view.ts';
import { Questions } from './questions.ts';

const [receipt, start] = golden<MessageEvent>('MessageReceived.v1', 'MessageSendStarted.v1');
const takenOver: ConversationEvent = {
  type: 'ConversationAiDisabled',
  data: { conversation_id: 4, reason: 'takeover' },
};

/** A conversation in which the assistant answers; its messages are written one after the other. */
async function newConversation() {
  const store = await createTestStore([conversationsView]);
  onTestFinished(() => store.close());
  const append = (streamId: string, ...events: readonly NewEvent[]) =>
    store.append({
      ...{ streamId, category: 'c', accountId: 3, events, expectedVersion: 'any', metadata: testMetadata },
    });
  await append(conversationStream(4), ...golden<ConversationEvent>('ConversationStarted.v1'));
  const { pool } = store;
  const aggregates = new Aggregates(store);
  const conversations = new Conversations(aggregates, pool);
  const log = new MessageLog(aggregates);
  const questions = new Questions(store, conversations, log, pool);
  const isDone = async (id: number) => (await questions.toDo(id)) === 'nothing';
  const sent_at = (await store.now()).toISOString();
  return {
    /** Whether a reply to a contact's message is wanted, and whether it is seen to, before they delete it and after. */
    async beforeAndAfterDeletion(id: number) {
      const heard = { ...receipt?.data, sent_at };
      const sid = `wamid.${id}`;
      const standing = async () => [(await questions.wantedNow(id)) !== null, await isDone(id)];
      await append(messageStream(id), {
        type: 'MessageReceived',
        data: { ...heard, message_id: id, message_sid: sid },
      });
      const before = await standing();
      await append(messageStream(id + 1), {
        type: 'MessageReceived',
        data: { ...heard, message_id: id + 1, kind: 'revoke', text: null, in_reply_to_sid: sid },
      });
      return { before, after: await standing() };
    },
    /** Whether a contact's message is seen to once a person has written after it, by what became of that. */
    async isDone(id: number, became: readonly MessageEvent[], since: readonly ConversationEvent[] = []) {
      const byHand = { author: 'person', kind: 'freeform', template_id: null, message_id: id + 1 } as const;
      const told = became.map(({ type, data }) => ({ type, data: { ...data, message_id: id + 1 } }));
      await append(messageStream(id), {
        type: 'MessageReceived',
        data: { ...receipt?.data, message_id: id, sent_at },
      });
      const begun = { type: 'MessageSendStarted', data: { ...start?.data, ...byHand } };
      await append(messageStream(id + 1), begun, ...told);
      if (since.length > 0) await append(conversationStream(4), ...since);
      return isDone(id);
    },
  };
}

test('a message that a person answers by hand is seen to once the platform has taken that, and not before', async () => {
  const { isDone } = await newConversation();
  expect({
    underWay: await isDone(1, []),
    unknown: await isDone(11, golden('MessageOutcomeUnknown.v1')),
    refused: await isDone(21, golden('MessageFailed.v1')),
    taken: await isDone(31, golden('MessageSent.v1'), [takenOver]),
  }).toEqual({ underWay: false, unknown: false, refused: false, taken: true });
});

test('a message that its contact deletes before it is answered wants no answer any more', async () => {
  const { beforeAndAfterDeletion } = await newConversation();
  expect(await beforeAndAfterDeletion(1)).toEqual({ before: [true, false], after: [false, true] });
});
