import type { MessageEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { BusRequest } from '@parley/message-bus';
import { AccountBalance } from '@parley/service-kit';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import type { Conversations } from '../../conversation/conversations.ts';
import { messageStream } from '../message.ts';
import { MessageLog } from '../message-log.ts';
import { checkMessage } from './check-message.ts';
import { checkUnlessRenewed } from './message-check.ts';
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
