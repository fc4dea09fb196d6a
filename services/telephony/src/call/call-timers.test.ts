import { type CallEvent } from '@parley/contracts';
import { Aggregates, type Clock, createInMemoryEventStore } from '@parley/event-store';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import type { AccountBalance } from '@parley/service-kit';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { callCategory, callStream } from './call.ts';
import { CallLog } from './call-log.ts';
import { reportTimer } from './call-timer.ts';
import { hangUpOverdue, lookAtCall } from './call-timers.ts';

const metadata = {
  correlationId: 'request-1',
  causationId: 'command-1',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

/** What comes of hanging up an overdue call, by what the platform answers. */
async function hangUp(answer: ProviderResult<undefined>) {
  const store = createInMemoryEventStore();
  const [arrived] = golden<CallEvent>('CallArrived.v1');
  if (!arrived) throw new Error('There is no call.');
  const { call_id } = arrived.data;
  const events = [arrived, { type: 'CallDeadlinePassed', data: { call_id } } as const];
  const streamId = callStream(call_id);
  await store.append({
    streamId,
    category: callCategory,
    accountId: 3,
    events,
    expectedVersion: 0,
    metadata,
  });
  const [, overdue] = await store.readStream(streamId);
  if (!overdue) throw new Error('It is not overdue.');
  const platform = { hangUp: async () => answer } as Partial<VoicePlatform> as VoicePlatform;
  const reactor = hangUpOverdue({ log: new CallLog(new Aggregates(store)), platform });
  const signal = new AbortController().signal;
  return reactor.react(overdue, { store, metadata, effectId: () => '', attempt: 1, signal });
}

test.each(['unavailable', 'unknown'] as const)(
  'an overdue call is hung up again after an outcome that is %s',
  (kind) => expect(hangUp({ kind, message: 'no answer' })).rejects.toThrow('no answer'),
);

test.each<ProviderResult<undefined>>([
  { kind: 'ok', value: undefined },
  { kind: 'rejected', code: 'invalid_argument', message: 'no' },
])('an overdue call is hung up once when the platform answers %j', (answer) =>
  expect(hangUp(answer)).resolves.toBeUndefined(),
);

/** What comes of a call that somebody has left a minute ago, by whether somebody is on the telephone. */
async function lookAfterLeaving(isOnCall: ProviderResult<boolean>) {
  const store = createInMemoryEventStore();
  const [arrived] = golden<CallEvent>('CallArrived.v1');
  if (arrived?.type !== 'CallArrived') throw new Error('There is no call.');
  const { call_id, arrived_at, max_duration_s } = arrived.data;
  const stream = { streamId: callStream(call_id), category: callCategory, accountId: 3, metadata };
  await store.append({ ...stream, events: [arrived], expectedVersion: 0 });
  const platform = { isOnCall: async () => isOnCall } as Partial<VoicePlatform> as VoicePlatform;
  const look = lookAtCall({
    balance: {} as AccountBalance,
    clock: { now: async () => new Date(arrived_at) } as Clock,
    log: new CallLog(new Aggregates(store)),
    platform,
  });
  const { due: _, ...timer } = reportTimer(call_id, 'no-answer');
  const asked = await look({ ...timer, dueAt: arrived_at }, { store, metadata });
  const longest = Date.parse(arrived_at) + (60 + max_duration_s + 60) * 1_000;
  return { asked, callId: timer.id, longest: new Date(longest).toISOString() };
}

test('a call goes on while somebody is on the telephone, also where another has left it or they were cut off for a moment', async () => {
  const { asked, callId, longest } = await lookAfterLeaving({ kind: 'ok', value: true });
  expect(asked).toMatchObject({ events: [], timers: [{ id: callId, due: { at: longest } }] });
});

test.each<ProviderResult<boolean>>([
  { kind: 'ok', value: false },
  { kind: 'unavailable', message: 'away' },
])('a call that somebody has left is over a minute later when the platform answers %j', async (answer) => {
  const { asked } = await lookAfterLeaving(answer);
  expect(asked?.events).toMatchObject([
    { type: 'CallDeadlinePassed' },
    { type: 'CallEnded', data: { status: 'no_answer' } },
  ]);
});
