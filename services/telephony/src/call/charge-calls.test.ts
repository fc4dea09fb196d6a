import type { CallEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { type BusReply, ServiceUnavailable } from '@parley/message-bus';
import { AccountBalance } from '@parley/service-kit';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { callCategory, callStream } from './call.ts';
import { CallLog } from './call-log.ts';
import { chargeCalls } from './charge-calls.ts';

const holdId = '0197a6d0-0000-7000-8000-000000000081';
const metadata = {
  correlationId: 'request-1',
  causationId: 'command-1',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

/** What is put on record when a call that came in is over, by what accounts answers to each question. */
async function charge(reply: BusReply) {
  const store = createInMemoryEventStore();
  const [arrived, ended] = golden<CallEvent>('CallArrived.v1', 'CallEnded.v1');
  if (arrived?.type !== 'CallArrived' || ended?.type !== 'CallEnded') throw new Error('There is no call.');
  const { call_id } = arrived.data;
  await store.append({
    streamId: callStream(call_id),
    category: callCategory,
    accountId: 3,
    events: [arrived, { ...ended, data: { ...ended.data, call_id } }],
    expectedVersion: 0,
    metadata,
  });
  const [, over] = await store.readStream(callStream(call_id));
  if (!over) throw new Error('It is not over.');
  const bus = { request: async () => reply, close: async () => undefined };
  const reactor = chargeCalls({
    balance: new AccountBalance(bus, 'telephony'),
    log: new CallLog(new Aggregates(store)),
  });
  const { signal } = new AbortController();
  const request = await reactor.react(over, { store, metadata, effectId: () => holdId, attempt: 1, signal });
  return request?.events;
}

test('a call that came in is paid by the minute when it is over', async () => {
  expect(await charge({ kind: 'ok', body: '{}' })).toEqual([
    { type: 'CallCharged', data: { call_id: 82, amount_micros: 200_000, minutes: 2 } },
  ]);
});

test('a call that nobody can pay for is not charged, and that is on record', async () => {
  const reply: BusReply = { kind: 'rejected', rejection: { code: 'insufficient_balance' } };
  expect(await charge(reply)).toEqual([
    { type: 'CallNotCharged', data: { call_id: 82, amount_micros: 200_000 } },
  ]);
});

test.each(['unavailable', 'contended'])('a call is charged later when accounts answers %s', async (code) => {
  await expect(charge({ kind: 'rejected', rejection: { code } })).rejects.toBeInstanceOf(ServiceUnavailable);
});
