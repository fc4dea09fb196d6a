import type { ConversationEvent, MessageEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type NewEvent, type SqlQuery } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { start } from '../message/outgoing/outgoing.fixture.ts';
import { conversation } from './conversation.ts';
import { Conversations } from './conversations.ts';
import { startConversation } from './start-conversation.ts';

const parties = { accountId: 3, senderId: 7, contactPhone: '+491701234567' };

/** A view that shows the conversation of another copy, with this number, only when it was asked so often. */
function lateView(times: number, contactPhone = parties.contactPhone) {
  let [asked, ids] = [0, 100];
  const row = { id: 12, uuid: 'u', isAiEnabled: true, contactName: null, contactPhone };
  const never = { receivedAt: null, templateSentAt: null, now: new Date(0) };
  return {
    async query<Row extends object>({ name }: SqlQuery) {
      if (name?.startsWith('es-ids')) ids += 100;
      if (name === 'conversation-standing') asked += 1;
      const standing = asked > times ? [{ ...row, ...never }] : [];
      const rows = name === 'conversation-standing' ? standing : [{ first: ids }];
      return { rows: rows as unknown as Row[], rowCount: rows.length };
    },
  };
}

test.each([
  ['the same number', '+491701234567', '+491701234567'],
  ['another spelling of the number', '+5511987654321', '+551187654321'],
])(
  'a conversation that another copy has begun with %s is found, however long the view takes to show it',
  async (_, contactPhone, known) => {
    const store = createInMemoryEventStore();
    const aggregates = new Aggregates(store);
    const begun = { id: 12, uuid: 'u', senderId: parties.senderId, contactPhone: known, contactName: null };
    const { events, claims = [] } = startConversation(null, begun);
    await store.append({
      streamId: 'conversation-12',
      category: 'conversation',
      accountId: 3,
      expectedVersion: 0,
      metadata: testMetadata,
      events,
      claims,
    });
    const conversations = new Conversations(aggregates, lateView(8, known));
    const found = await conversations.findOrStart({ ...parties, contactPhone }, {}, testMetadata);
    expect(found).toMatchObject({ id: 12, contactPhone: known });
  },
);

/** Whether the assistant keeps quiet once it is told that the platform took what a person had written by hand. */
async function isQuietAfter(before: readonly ConversationEvent[], since: readonly ConversationEvent[]) {
  const store = createInMemoryEventStore();
  const aggregates = new Aggregates(store);
  const append = (streamId: string, ...events: readonly NewEvent[]) =>
    store.append({
      ...{ streamId, category: 'c', accountId: 3, expectedVersion: 'any', metadata: testMetadata, events },
    });
  const written: MessageEvent = {
    type: 'MessageSendStarted',
    data: { ...start, kind: 'freeform', template_id: null },
  };
  const begun = { id: 4, uuid: 'u', ...parties, contactName: null };
  await append('conversation-4', ...startConversation(null, begun).events, ...before);
  await append('message-31', written);
  await append('conversation-4', ...since);
  const conversations = new Conversations(aggregates, lateView(0));
  await conversations.takeOver(written.data, parties.accountId, testMetadata);
  return !(await aggregates.load('conversation-4', conversation)).state?.isAiEnabled;
}

const off: ConversationEvent = {
  type: 'ConversationAiDisabled',
  data: { conversation_id: 4, reason: 'takeover' },
};
const on: ConversationEvent = { type: 'ConversationAiEnabled', data: { conversation_id: 4 } };

test('who writes by hand takes the conversation over, whatever was switched before', async () => {
  expect(await isQuietAfter([], [])).toBe(true);
  expect(await isQuietAfter([off, on], [])).toBe(true);
});

test('an assistant that was turned on since does not keep quiet for what was written before, however late that is told', async () => {
  expect(await isQuietAfter([off], [on])).toBe(false);
  expect(await isQuietAfter([], [off, on])).toBe(false);
  expect(await isQuietAfter([], [off, on, off])).toBe(true);
});
