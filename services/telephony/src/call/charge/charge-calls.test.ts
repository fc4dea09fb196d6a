import { type CallEvent, captureBalance, reserveBalance } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { type BusReply, type BusRequest, ServiceUnavailable } from '@parley/message-bus';
import { AccountBalance } from '@parley/service-kit';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { callCategory, callStream } from '../call.ts';
import { CallLog } from '../call-log.ts';
import { chargeCalls } from './charge-calls.ts';

const holdId = '0197a6d0-0000-7000-8000-000000000081';

/** What is put on record when a call that came in, or was placed, is over, by what accounts answers to each question. */
async function charge(
  reply: BusReply | ((request: BusRequest) => BusReply),
  change: { readonly customer_phone?: string; readonly duration_s?: number } = {},
  beginning: 'CallArrived' | 'CallRequested' = 'CallArrived',
  settled: readonly CallEvent[] = [],
) {
  const store = createInMemoryEventStore();
  const [begun, ended] = golden<CallEvent>(`${beginning}.v1`, 'CallEnded.v1');
  if (begun?.type !== beginning || ended?.type !== 'CallEnded') throw new Error('There is no call.');
  const { call_id, customer_phone } = { ...begun.data, ...change };
  const { duration_s } = { ...ended.data, ...change };
  await store.append({
    streamId: callStream(call_id),
    category: callCategory,
    accountId: 3,
    events: [
      { ...begun, data: { ...begun.data, customer_phone } } as CallEvent,
      { ...ended, data: { ...ended.data, call_id, duration_s } },
      ...settled,
    ],
    expectedVersion: 0,
    metadata,
  });
  const [, over] = await store.readStream(callStream(call_id));
  if (!over) throw new Error('It is not over.');
  const request = async (asked: BusRequest) => (typeof reply === 'function' ? reply(asked) : reply);
  const bus = { request, close: async () => undefined };
  const reactor = chargeCalls({
    balance: new AccountBalance(bus, 'telephony'),
    log: new CallLog(new Aggregates(store)),
  });
  const { signal } = new AbortController();
  const context = { store, metadata, effectId: () => holdId, attempt: 1, signal };
  return (await reactor.react(over, context))?.events;
}

test('a call that came in is paid by the minute when it is over', async () => {
  expect(await charge({ kind: 'ok', body: '{}' })).toEqual([
    { type: 'CallCharged', data: { call_id: 82, amount_micros: 200_000, minutes: 2 } },
  ]);
});

test('nothing is paid for when a call was hung up long ago, as where its agent tells milliseconds for seconds', async () => {
  const longest = { type: 'CallCharged', data: { call_id: 82, amount_micros: 1_200_000, minutes: 12 } };
  for (const duration_s of [661, 720, 721, 74_000])
    expect(await charge({ kind: 'ok', body: '{}' }, { duration_s })).toEqual([longest]);
});

test('of a call that was placed, as many minutes are on record as are paid: those that were reserved at most', async () => {
  const longest = { type: 'CallCharged', data: { call_id: 81, amount_micros: 1_000_000, minutes: 10 } };
  for (const duration_s of [541, 600, 601, 74_000])
    expect(await charge({ kind: 'ok', body: '{}' }, { duration_s }, 'CallRequested')).toEqual([longest]);
});

test('a call is paid whatever the caller’s telephone says of itself', async () => {
  const accounts = ({ subject, payload }: BusRequest): BusReply =>
    subject.endsWith(reserveBalance.name) && !reserveBalance.input.safeParse(JSON.parse(payload)).success
      ? { kind: 'rejected', rejection: { code: 'invalid' } }
      : { kind: 'ok', body: '{}' };
  for (const customer_phone of ['x'.repeat(300), '☎'.repeat(300), '📞'.repeat(300), `${'x'.repeat(244)}📞x`])
    expect(await charge(accounts, { customer_phone })).toMatchObject([{ type: 'CallCharged' }]);
});

test('a call that there is too little money for takes what is there', async () => {
  const accounts = ({ subject, payload }: BusRequest): BusReply => {
    const { at_most } = JSON.parse(payload);
    if (!at_most) return { kind: 'rejected', rejection: { code: 'insufficient_balance' } };
    const moved = { available_micros: 0, reserved_micros: 0, amount_micros: 150_000 };
    return { kind: 'ok', body: subject.endsWith(captureBalance.name) ? JSON.stringify(moved) : '{}' };
  };
  expect(await charge(accounts)).toEqual([
    { type: 'CallCharged', data: { call_id: 82, amount_micros: 150_000, minutes: 2 } },
  ]);
});

test('a call that nobody can pay for is not charged, and that is on record', async () => {
  const reply: BusReply = { kind: 'rejected', rejection: { code: 'insufficient_balance' } };
  expect(await charge(reply)).toEqual([
    { type: 'CallNotCharged', data: { call_id: 82, amount_micros: 200_000 } },
  ]);
});

test('a call that was turned away, as there was no minute for it, has nothing more to settle', async () => {
  const turnedAway = { type: 'CallNotCharged', data: { call_id: 82, amount_micros: 100_000 } } as const;
  for (const duration_s of [0, 61])
    expect(await charge({ kind: 'ok', body: '{}' }, { duration_s }, 'CallArrived', [turnedAway])).toBe(
      undefined,
    );
});

test.each(['unavailable', 'contended'])('a call is charged later when accounts answers %s', async (code) => {
  await expect(charge({ kind: 'rejected', rejection: { code } })).rejects.toBeInstanceOf(ServiceUnavailable);
});
