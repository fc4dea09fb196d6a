import type { MessageEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { BusRequest } from '@parley/message-bus';
import { AccountBalance } from '@parley/service-kit';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import type { Conversations } from '../../conversation/conversations.ts';
import { messageStream, type StartedSend } from '../message.ts';
import { MessageLog } from '../message-log.ts';
import { checkMessage } from './check-message.ts';
import { checkUnlessRenewed } from './message-check.ts';
import { dropped, sent, start, undeliverable } from './outgoing.fixture.ts';
import { recordUnknown } from './record-outcome.ts';

const accountId = 3;

/** A message of which nobody knows whether the platform took it, and what accounts is asked for when a timer of it fires. */
async function unknownMessage() {
  const store = createInMemoryEventStore();
  const [started] = golden<MessageEvent>('MessageSendStarted.v1');
  if (started?.type !== 'MessageSendStarted') throw new Error('There is no message.');
  const { data: start } = started;
  const at = { streamId: messageStream(start.message_id), category: 'message', accountId, metadata };
  await store.append({ ...at, events: [started], expectedVersion: 0 });
  const log = new MessageLog(new Aggregates(store));
  await log.change(start.message_id, accountId, metadata, (state) => recordUnknown(state, 'No answer.'));
  const asked: string[] = [];
  const bus = {
    async request({ subject }: BusRequest) {
      asked.push(subject.split('.').at(-1) ?? '');
      return { kind: 'ok', body: '{}' } as const;
    },
    close: async () => undefined,
  };
  // What is not paid for takes no conversation over.
  const conversations = {} as Conversations;
  const recipients = { hasPlace: async () => false };
  const balance = new AccountBalance(bus, 'messaging');
  const check = checkMessage({ log, balance, conversations, recipients });
  const fire = async (timer: { readonly id: string; readonly kind: string; readonly payload: object }) => {
    const payload = { ...timer.payload, account_id: accountId };
    const due = { ...timer, dueAt: '2026-11-21T09:30:00.000Z', payload };
    expect(await check(due, { store, metadata })).toBeUndefined();
    return asked;
  };
  return { start, fire, timers: store.timers() };
}

test('a message of which the platform never tells is not paid for', async () => {
  const { fire, timers } = await unknownMessage();
  const [timer] = timers;
  if (!timer) throw new Error('Nobody looks again.');
  expect(await fire(timer)).toEqual(['refund-balance']);
});

test('a silence that was waited for before timers said so ends as well', async () => {
  const { start, fire } = await unknownMessage();
  const { message_id, hold_id, command_id } = start;
  const timer = { ...checkUnlessRenewed(start), payload: { message_id, hold_id, command_id } };
  expect(await fire(timer)).toEqual(['refund-balance']);
});

test('a check that was due while the outcome became unknown leaves the platform its time', async () => {
  const { start, fire } = await unknownMessage();
  expect(await fire(checkUnlessRenewed(start))).toEqual([]);
});

/** What is done about a message with this history when its check fires: what is asked for, and who is told of it. */
async function checked(history: readonly MessageEvent[], hasPlace = false) {
  const store = createInMemoryEventStore();
  const at = { streamId: messageStream(sentByHand.message_id), category: 'message', accountId, metadata };
  await store.append({ ...at, events: history, expectedVersion: 0 });
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const conversations: Partial<Conversations> = { takeOver: note('take-over') };
  const balance: Partial<AccountBalance> = {
    capture: async () => done.push('capture') > 0,
    refund: note('refund'),
    release: note('release'),
  };
  const check = checkMessage({
    log: new MessageLog(new Aggregates(store)),
    balance: balance as AccountBalance,
    conversations: conversations as Conversations,
    recipients: { hasPlace: async () => hasPlace },
  });
  const timer = checkUnlessRenewed(sentByHand);
  const payload = { ...timer.payload, account_id: accountId };
  const append = await check({ ...timer, dueAt: '2026-11-21T09:30:00.000Z', payload }, { store, metadata });
  return { done, types: append?.events.map(({ type }) => type) };
}

const sentByHand: StartedSend = { ...start, kind: 'freeform', template_id: null, command_id: null };
const begun: MessageEvent = { type: 'MessageSendStarted', data: sentByHand };

test('a message that was sent is paid for, and whoever wrote it has the conversation; one that failed is paid back', async () => {
  expect((await checked([begun, sent])).done).toEqual(['capture', 'take-over']);
  expect((await checked([begun, sent, undeliverable])).done).toEqual(['refund']);
});

test('a message that was dropped gives its money back, and the place that was taken for it since', async () => {
  expect(await checked([dropped])).toEqual({ done: ['release'], types: undefined });
  expect(await checked([dropped], true)).toEqual({ done: ['release'], types: ['MessageDropped'] });
});
