import { type CallEvent } from '@parley/contracts';
import { Aggregates, type Clock, createInMemoryEventStore, type TimerRequest } from '@parley/event-store';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import type { AccountBalance } from '@parley/service-kit';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { callCategory, callStream } from './call.ts';
import { arrival, request } from './call-history.fixture.ts';
import { CallLog } from './call-log.ts';
import { placementTimer, reportTimer } from './call-timer.ts';
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

/** What comes of a look at a call that began so, by whether somebody is on the telephone; and whose room was closed. */
async function look(begun: CallEvent, timer: TimerRequest, isOnCall: ProviderResult<boolean>) {
  const store = createInMemoryEventStore();
  const { call_id } = begun.data;
  const stream = { streamId: callStream(call_id), category: callCategory, accountId: 3, metadata };
  await store.append({ ...stream, events: [begun], expectedVersion: 0 });
  const closed: string[] = [];
  const platform = {
    isOnCall: async () => isOnCall,
    async hangUp(room: string) {
      closed.push(room);
      return { kind: 'ok', value: undefined };
    },
  } satisfies Partial<VoicePlatform> as Partial<VoicePlatform> as VoicePlatform;
  const handler = lookAtCall({
    balance: {} as AccountBalance,
    clock: { now: async () => new Date(beganAt) } as Clock,
    log: new CallLog(new Aggregates(store)),
    platform,
  });
  const { due: _, ...due } = timer;
  return { closed, asked: await handler({ ...due, dueAt: beganAt }, { store, metadata }) };
}

const beganAt = '2026-11-21T09:30:00.000Z';
const arrived: CallEvent = { type: 'CallArrived', data: arrival };
const left = reportTimer(arrival.call_id, 'no-answer');

test('a call goes on while somebody is on the telephone, also where another has left it or they were cut off for a moment', async () => {
  const { asked, closed } = await look(arrived, left, { kind: 'ok', value: true });
  // When it can last no longer: ringing, talking, and a minute.
  const at = '2026-11-21T09:42:00.000Z';
  expect(asked).toMatchObject({ events: [], timers: [{ id: left.id, due: { at } }] });
  expect(closed).toEqual([]);
});

test.each<ProviderResult<boolean>>([
  { kind: 'ok', value: false },
  { kind: 'unavailable', message: 'away' },
])('a call that somebody has left is over a minute later when the platform answers %j', async (answer) => {
  const { asked } = await look(arrived, left, answer);
  expect(asked?.events).toMatchObject([
    { type: 'CallDeadlinePassed' },
    { type: 'CallEnded', data: { status: 'no_answer' } },
  ]);
});

test.each([
  [false, [request.room]],
  [true, []],
])('the agent of a call that was perhaps dialed waits for nobody: was it, %s', async (wasDialed, rooms) => {
  const placement = placementTimer({ callId: request.call_id, holdId: null, commandId: null });
  const requested: CallEvent = { type: 'CallRequested', data: request };
  const { asked, closed } = await look(requested, placement, { kind: 'ok', value: wasDialed });
  expect(asked?.events[0]).toMatchObject({ type: wasDialed ? 'CallDialed' : 'CallNotPlaced' });
  expect(closed).toEqual(rooms);
});
