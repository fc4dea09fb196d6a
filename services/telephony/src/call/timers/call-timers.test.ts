import { type CallEvent } from '@parley/contracts';
import { Aggregates, type Clock, createInMemoryEventStore, type TimerRequest } from '@parley/event-store';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import type { AccountBalance } from '@parley/service-kit';
import { testMetadata as metadata } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { callCategory, callStream } from '../call.ts';
import { arrival, request } from '../call-history.fixture.ts';
import { CallLog } from '../call-log.ts';
import type { CallArrivedData } from '../decisions.ts';
import { placementTimer, reportTimer, unreportedTimer, unreportedTimerId } from './call-timer.ts';
import { closeRooms, lookAtCall } from './call-timers.ts';

/** What comes of the end of a call that the platform has not told, by what it answers; and which rooms were closed. */
async function close(begun: CallEvent, end: CallEvent, answer: ProviderResult<undefined>) {
  const store = createInMemoryEventStore();
  const streamId = callStream(begun.data.call_id);
  const stream = { streamId, category: callCategory, accountId: 3, metadata };
  await store.append({ ...stream, events: [begun, end], expectedVersion: 0 });
  const [, ended] = await store.readStream(streamId);
  if (!ended) throw new Error('It has not ended.');
  const closed: string[] = [];
  const platform = {
    async hangUp(room) {
      closed.push(room);
      return answer;
    },
  } satisfies Partial<VoicePlatform> as Partial<VoicePlatform> as VoicePlatform;
  const reactor = closeRooms({ log: new CallLog(new Aggregates(store)), platform });
  const signal = new AbortController().signal;
  const asked = await reactor.react(ended, { store, metadata, effectId: () => '', attempt: 1, signal });
  return { asked, closed };
}

const beganAt = '2026-11-21T09:30:00.000Z';
const arrived: CallEvent = { type: 'CallArrived', data: arrival };
const requested: CallEvent = { type: 'CallRequested', data: request };
const left = reportTimer(arrival.call_id, 'no-answer');
const { call_id } = request;

describe.each<[string, CallEvent, CallEvent]>([
  ['is overdue', arrived, { type: 'CallDeadlinePassed', data: { call_id: arrival.call_id } }],
  [
    'was not placed',
    requested,
    { type: 'CallNotPlaced', data: { call_id, reason: 'Busy', lead_id: null, may_pass_later: true } },
  ],
])('the room of a call that %s', (_, begun, end) => {
  test.each(['unavailable', 'unknown'] as const)('is closed again after an outcome that is %s', (kind) =>
    expect(close(begun, end, { kind, message: 'no answer' })).rejects.toThrow('no answer'),
  );

  test.each<ProviderResult<undefined>>([
    { kind: 'ok', value: undefined },
    { kind: 'rejected', code: 'invalid_argument', message: 'no' },
  ])('is closed once when the platform answers %j', async (answer) => {
    const closed = [(begun.data as CallArrivedData).room];
    expect(await close(begun, end, answer)).toEqual({ asked: undefined, closed });
  });
});

/** What comes of a look at a call that began so, by whether somebody is on the telephone. */
async function look(begun: CallEvent, timer: TimerRequest, isOnCall: ProviderResult<boolean>, now = beganAt) {
  const store = createInMemoryEventStore();
  const { call_id } = begun.data;
  const stream = { streamId: callStream(call_id), category: callCategory, accountId: 3, metadata };
  await store.append({ ...stream, events: [begun], expectedVersion: 0 });
  // Closes no room: what the platform tells of that would be a call that was dialed, before it is on record that it was not.
  const platform = { isOnCall: async () => isOnCall } as Partial<VoicePlatform> as VoicePlatform;
  const handler = lookAtCall({
    balance: {} as AccountBalance,
    clock: { now: async () => new Date(now) } as Clock,
    log: new CallLog(new Aggregates(store)),
    platform,
  });
  const { due: _, ...due } = timer;
  return handler({ ...due, dueAt: beganAt }, { store, metadata });
}

test('a call goes on while somebody is on the telephone, also where another has left it or they were cut off for a moment', async () => {
  const asked = await look(arrived, left, { kind: 'ok', value: true });
  // When it can last no longer: ringing, talking, and a minute.
  const at = '2026-11-21T09:42:00.000Z';
  expect(asked).toMatchObject({ events: [], timers: [{ id: left.id, due: { at } }] });
});

const over = [{ type: 'CallDeadlinePassed' }, { type: 'CallEnded', data: { status: 'no_answer' } }];

test('a call that somebody has left is over a minute later when nobody is on the telephone', async () => {
  const asked = await look(arrived, left, { kind: 'ok', value: false });
  expect(asked?.events).toMatchObject(over);
});

test.each(['unavailable', 'unknown'] as const)(
  'one of which the platform does not say so (%s) is looked at again, until it can last no longer',
  async (kind) => {
    const away = { kind, message: 'away' };
    const { due, payload } = left;
    const asked = await look(arrived, left, away);
    expect(asked).toMatchObject({
      events: [],
      timers: [{ id: left.id, due, payload }],
      // It would close the call as failed, whatever was its outcome.
      cancelTimers: [unreportedTimerId(arrival.call_id)],
    });
    const asLate = await look(arrived, left, away, '2026-11-21T09:42:00.000Z');
    expect(asLate?.events).toMatchObject(over);
  },
);

test.each([
  [false, 'CallNotPlaced'],
  [true, 'CallDialed'],
])('a call that was perhaps dialed was it when somebody is on the telephone: %s', async (wasDialed, type) => {
  const placement = placementTimer({ callId: call_id, holdId: null, commandId: null });
  const asked = await look(requested, placement, { kind: 'ok', value: wasDialed });
  expect(asked?.events[0]).toMatchObject({ type });
});

test.each([
  ['looked for again while the platform does not say', '2026-11-21T09:40:00.000Z', []],
  [
    'taken for not dialed once it has not said for ten minutes',
    '2026-11-21T09:40:00.001Z',
    ['CallNotPlaced', 'CallEnded'],
  ],
])('a call that was perhaps dialed is %s', async (_, now, types) => {
  const placement = placementTimer({ callId: call_id, holdId: null, commandId: null });
  const asked = await look(requested, placement, { kind: 'unavailable', message: 'away' }, now);
  expect(asked?.events.map(({ type }) => type)).toEqual(types);
  expect(asked?.timers ?? []).toHaveLength(types.length === 0 ? 1 : 0);
});

test.each([
  ['at once', '2026-11-21T09:30:05.000Z', [{ type: 'CallDeadlinePassed' }, { data: { status: 'failed' } }]],
  ['not before the reason that is as late', '2026-11-21T09:30:05.001Z', []],
  ['when it can last no longer', '2026-11-21T09:42:00.000Z', [{}, { data: { status: 'failed' } }]],
])('a call whose room was closed without a report has failed %s', async (_, now, events) => {
  const unreported = unreportedTimer(arrival.call_id);
  const asked = await look(arrived, unreported, { kind: 'ok', value: false }, now);
  expect(asked?.events).toMatchObject(events);
  if (events.length === 0) expect(asked?.timers).toMatchObject([{ id: unreported.id, due: unreported.due }]);
});
