import type { CallEvent } from '@parley/contracts';
import type { Decision, TimerRequest } from '@parley/event-store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Call, call } from './call.ts';
import { arrival, inbound, now, outbound, report, request } from './call-history.fixture.ts';
import {
  arrive,
  awaitTurn,
  closeOverdue,
  dialed,
  dropCall,
  left,
  notPlaced,
  recorded,
  renewPreparation,
  reported,
  requestCall,
  turnAway,
  unreported,
} from './decisions.ts';

const told: readonly ((state: Call) => Decision<CallEvent>)[] = [
  dialed,
  (state) => left(state, 'completed'),
  (state) => reported(state, report),
  (state) => recorded(state, 'https://example.com/7.mp3'),
];
/** Each of them three times, in any order. */
const anyTelling = fc.shuffledSubarray(
  told.flatMap((event) => [event, event, event]),
  { minLength: 12 },
);

describe('what the platform tells three times in any order', () => {
  test.each([
    ['an outbound call', outbound, ['CallRequested', 'CallDialed', 'CallEnded', 'CallRecordingAdded']],
    ['an inbound call', inbound, ['CallArrived', 'CallEnded', 'CallRecordingAdded']],
  ] as const)('makes one history of %s', (_, begin, types) => {
    const expected = told.reduce((history, event) => history.take(event), begin()).settle();
    expect(expected.types).toEqual(types);
    fc.assert(
      fc.property(anyTelling, (telling) => {
        const history = telling.reduce((known, event) => known.take(event), begin()).settle();
        expect(history.events).toEqual(expected.events);
        expect(history.state).toEqual(expected.state);
      }),
      { numRuns: 2_000 },
    );
  });
});

test('the end says what the report says, in our words', () => {
  const [, , ended] = outbound().take((state) => reported(state, report)).events;
  expect(ended).toMatchObject({
    type: 'CallEnded',
    data: {
      status: 'completed',
      duration_s: 61,
      transcript: [
        { role: 'assistant', text: 'Hello!' },
        { role: 'customer', text: 'Hi.' },
      ],
      extracted_variables: { city: 'Rome' },
      input_variables: { name: 'Ada' },
      lead_id: 1,
      campaign_id: 2,
    },
  });
});

test('a report of what no database stores is stored all the same', () => {
  const hostile = {
    ...report,
    transcript: [{ role: 'x', content: 'a\u0000\ud800' }, 'none', null],
    extracted_variables: { 'a\u0000': ['\udfff', { b: '\u0000' }] },
  };
  const [, , ended] = outbound().take((state) => reported(state, hostile)).events;
  expect(ended?.data).toMatchObject({
    transcript: [{ role: 'x', text: 'a��' }],
    extracted_variables: { 'a�': ['�', { b: '�' }] },
  });
});

test('a call that ended stays as it is', () => {
  const ended = outbound().take((state) => reported(state, report));
  const before = [...ended.events];
  ended
    .take((state) => reported(state, { ...report, outcome: 'failed' }))
    .take((state) => closeOverdue(state, 'failed', now))
    .take((state) => notPlaced(state, { reason: 'late', mayPassLater: false }, now))
    .take(dialed)
    .take((state) => requestCall(state, request, '{}'));
  expect(ended.events).toEqual(before);
  expect(awaitTurn(ended.state, 1_000).timers).toBeUndefined();
});

test('a call that came in is turned away before it has ended, and no other call is', () => {
  const turned = (history: ReturnType<typeof inbound>) =>
    turnAway(history.state, now).events.map(({ type }) => type);
  expect(turned(inbound())).toEqual(['CallEnded', 'CallNotCharged']);
  expect(turned(inbound().take((state) => reported(state, report)))).toEqual([]);
  expect(turned(outbound().take(dialed))).toEqual([]);
});

test('a call whose end nobody tells is closed by its deadline, and costs nothing', () => {
  const closed = outbound()
    .take(dialed)
    .take((state) => closeOverdue(state, 'failed', now));
  expect(closed.types).toEqual(['CallRequested', 'CallDialed', 'CallDeadlinePassed', 'CallEnded']);
  expect(closed.events.at(-1)?.data).toMatchObject({ status: 'failed', duration_s: 0 });
  const busy = inbound().take((state) => closeOverdue(state, 'busy', now));
  expect(busy.events.at(-1)?.data).toMatchObject({ status: 'busy', finished_at: now.toISOString() });
});

test.each([
  ['after', [(state: Call) => left(state, 'busy'), unreported]],
  ['before', [unreported, (state: Call) => left(state, 'busy')]],
  ['before and after', [unreported, (state: Call) => left(state, 'busy'), unreported]],
] as const)('why they left counts, when the room ends without a report %s', (_, words) => {
  const timers = new Map<string, TimerRequest>();
  for (const word of words) {
    const decided = word(outbound().take(dialed).state);
    for (const id of decided.cancelTimers ?? []) timers.delete(id);
    for (const timer of decided.timers ?? []) timers.set(timer.id, timer);
  }
  const dueOf = ({ due }: TimerRequest) => ('afterMs' in due ? due.afterMs : 0);
  const [first] = [...timers.values()].sort((a, b) => dueOf(a) - dueOf(b));
  expect(first?.payload).toMatchObject({ outcome: 'busy' });
});

test('what was not dialed ends at once; what was dialed cannot become undialed', () => {
  expect(
    outbound().take((state) => notPlaced(state, { reason: 'no trunk', mayPassLater: true }, now)).types,
  ).toEqual(['CallRequested', 'CallNotPlaced', 'CallEnded']);
  const ringing = outbound()
    .take(dialed)
    .take((state) => notPlaced(state, { reason: 'late', mayPassLater: false }, now));
  expect(ringing.types).toEqual(['CallRequested', 'CallDialed']);
});

test('whoever prepares a call looks after it until it is on record', () => {
  const placing = { callId: 7, holdId: request.hold_id, commandId: 'command-1' };
  expect(renewPreparation(null, placing)).toMatchObject({
    events: [],
    timers: [{ due: { afterMs: 3_000 } }],
  });
  const onRecord = call.evolve(null, { type: 'CallRequested', data: request });
  expect(renewPreparation(onRecord, placing)).toEqual({ events: [], reply: '{}' });
});

test('a call is dropped first, and gives its money back when nobody can place it any more', () =>
  expect(dropCall(null, { callId: 7, holdId: request.hold_id, commandId: 'command-1' })).toMatchObject({
    claims: [{ op: 'release', key: 'command-1', owner: 'call-7' }],
    events: [{ type: 'CallDropped', data: { call_id: 7 } }],
    timers: [{ id: 'call-deadline-7', due: { afterMs: 0 }, payload: { hold_id: request.hold_id } }],
    reply: '{}',
  }));

test('a call that was dropped is never placed', () => {
  const state = call.evolve(null, { type: 'CallDropped', data: { call_id: 7 } });
  expect(requestCall(state, request, '{}')).toMatchObject({ code: 'contended' });
  expect(told.flatMap((event) => event(state).events)).toEqual([]);
});

describe('each word about a call', () => {
  const requested = outbound().state;
  const ringing = outbound().take(dialed).state;
  const dialedEvent = { type: 'CallDialed', data: { call_id: 7 } };
  const deadline = (afterMs: number, payload: object = {}) => ({
    timers: [
      { id: 'call-deadline-7', kind: 'call-deadline', due: { afterMs }, payload: { call_id: 7, ...payload } },
    ],
  });
  const noDeadline = { cancelTimers: ['call-deadline-7'] };
  /** A minute of ringing, ten of talking, and one for the platform's last words. */
  const longestMs = 720_000;

  test.each<[string, () => object, object]>([
    [
      'that it is wanted, holds its money until it is placed',
      () => requestCall(null, request, 'an answer'),
      { reply: 'an answer', ...deadline(30_000, { hold_id: request.hold_id }) },
    ],
    ['that it has come, waits for its end', () => arrive(null, arrival), deadline(longestMs)],
    [
      'that it rings, waits for its end',
      () => dialed(requested),
      { events: [dialedEvent], ...deadline(longestMs) },
    ],
    [
      'that it could not be placed, ends the waiting',
      () => notPlaced(requested, { reason: 'no trunk', mayPassLater: true }, now),
      {
        events: [
          {
            type: 'CallNotPlaced',
            data: { call_id: 7, reason: 'no trunk', lead_id: 1, may_pass_later: true },
          },
          { type: 'CallEnded', data: { status: 'failed', finished_at: now.toISOString() } },
        ],
        ...noDeadline,
      },
    ],
    [
      'that everybody has left, waits for the report',
      () => left(ringing, 'busy'),
      { events: [], ...deadline(60_000, { outcome: 'busy' }), cancelTimers: ['call-unreported-7'] },
    ],
    [
      'that its room is closed, waits for the others',
      () => unreported(ringing),
      { events: [], timers: [{ id: 'call-unreported-7', kind: 'call-deadline', due: { afterMs: 120_000 } }] },
    ],
    [
      'that its room is closed, tells that it was dialed',
      () => unreported(requested),
      { events: [dialedEvent], timers: [{ id: 'call-deadline-7' }, { id: 'call-unreported-7' }] },
    ],
    ['that it is over, ends the waiting', () => reported(ringing, report), noDeadline],
    [
      'that nobody told its end, names the call',
      () => closeOverdue(ringing, 'failed', now),
      { events: [{ type: 'CallDeadlinePassed', data: { call_id: 7 } }, { type: 'CallEnded' }] },
    ],
    [
      'that it was recorded, is kept until it is over',
      () => recorded(ringing, 'https://example.com/7.mp3'),
      { events: [], timers: [{ kind: 'call-recording', due: { afterMs: 5_000 } }] },
    ],
    [
      'that it was recorded, is put on record when it is over',
      () => recorded(outbound().take((state) => reported(state, report)).state, 'https://example.com/7.mp3'),
      {
        events: [
          {
            type: 'CallRecordingAdded',
            data: { call_id: 7, recording_url: 'https://example.com/7.mp3' },
          },
        ],
      },
    ],
  ])('%s', (_, decide, expected) => expect(decide()).toMatchObject({ reply: '{}', ...expected }));

  test('is nothing where the call is not known', () => {
    const unknown = [
      ...told,
      unreported,
      (state: Call) => notPlaced(state, { reason: 'late', mayPassLater: false }, now),
    ];
    expect(unknown.flatMap((event) => event(null).events)).toEqual([]);
  });
});
