import type { CallEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type SqlExecutor } from '@parley/event-store';
import { type MessageContext, ServiceUnavailable } from '@parley/message-bus';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import type { VoiceEvent } from '@parley/providers/livekit';
import type { AccountBalance } from '@parley/service-kit';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { callCategory, callStream } from '../call.ts';
import { CallLog } from '../call-log.ts';
import type { CallLookups } from '../other-services.ts';
import { type VoiceEventParts, VoiceEvents } from './voice-events.ts';

const metadata = {
  correlationId: 'request-1',
  causationId: 'command-1',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;
const message: MessageContext = {
  accountId: null,
  actor: { kind: 'provider', id: 'livekit' },
  commandId: null,
  fingerprint: null,
  correlationId: 'callback-1',
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 1_000,
};
const [requested, notPlaced, ended] = golden<CallEvent>(
  'CallRequested.v1',
  'CallNotPlaced.v1',
  'CallEnded.v1',
);

/** What is answered when the person joins a call with this history, and which rooms are closed. */
async function joined(
  history: readonly CallEvent[],
  answer: ProviderResult<undefined> = { kind: 'ok', value: undefined },
  room?: string,
) {
  if (requested?.type !== 'CallRequested') throw new Error('Another golden file.');
  const { call_id, customer_phone: customerPhone, assistant_phone: ourPhone } = requested.data;
  const store = createInMemoryEventStore();
  const streamId = callStream(call_id);
  await store.append({
    streamId,
    category: callCategory,
    accountId: 3,
    events: [requested, ...history],
    expectedVersion: 0,
    metadata,
  });
  const closed: string[] = [];
  const platform: Partial<VoicePlatform> = {
    async hangUp(each) {
      closed.push(each);
      return answer;
    },
  };
  const parts: Partial<VoiceEventParts> = {
    log: new CallLog(new Aggregates(store)),
    platform: platform as VoicePlatform,
    store,
  };
  const event: VoiceEvent = {
    type: 'joined',
    room: room ?? requested.data.room,
    identity: 'customer',
    openedAt: '2026-11-21T09:31:00.000Z',
    direction: 'outbound',
    trunkId: 'ST_1',
    customerPhone,
    ourPhone,
  };
  const rejection = await new VoiceEvents(parts as VoiceEventParts).take(event, message);
  const types = (await store.readStream(streamId)).slice(1).map(({ type }) => type);
  return { rejection, closed, types };
}

const over = [notPlaced, ended].flatMap((event) => event ?? []);

test('whoever joins a call that was asked for is on the line', async () => {
  expect(await joined([])).toEqual({ rejection: null, closed: [], types: ['CallDialed'] });
});

test('what the platform tells of a call is as deep as the run that asked for it', async () => {
  if (requested?.type !== 'CallRequested') throw new Error('Another golden file.');
  const { call_id, room } = requested.data;
  const store = createInMemoryEventStore();
  const about = { streamId: callStream(call_id), category: callCategory, accountId: 3, expectedVersion: 0 };
  await store.append({ ...about, events: [requested], metadata: { ...metadata, chainDepth: 4 } });
  const parts: Partial<VoiceEventParts> = { log: new CallLog(new Aggregates(store)), store };
  const closed: VoiceEvent = { type: 'finished', room, openedAt: '2026-11-21T09:31:00.000Z', report: null };
  await new VoiceEvents(parts as VoiceEventParts).take(closed, message);
  const [, dialed] = await store.readStream(about.streamId);
  expect(dialed).toMatchObject({
    type: 'CallDialed',
    metadata: { correlationId: 'request-1', actor: { kind: 'provider' }, chainDepth: 4 },
  });
});

test('whoever joins a call that was given up is hung up, as nobody pays for it', async () => {
  expect(await joined(over)).toEqual({
    rejection: null,
    closed: ['parley-call-81'],
    types: ['CallNotPlaced', 'CallEnded'],
  });
});

test('the platform tells again of somebody whom it could not hang up', async () => {
  const unavailable = { kind: 'unavailable', message: 'no answer' } as const;
  expect(await joined(over, unavailable)).toMatchObject({ rejection: { code: 'unavailable' } });
  expect(await joined(over, { kind: 'rejected', code: null, message: 'no' })).toMatchObject({
    rejection: null,
  });
});

test('a room that another installation has named after a call with the same number is none of ours', async () => {
  const ok = { kind: 'ok', value: undefined } as const;
  const theirs = 'parley-call-81-0123456789ab';
  expect(await joined([], ok, theirs)).toEqual({ rejection: null, closed: [], types: [] });
  expect(await joined(over, ok, theirs)).toMatchObject({ rejection: null, closed: [] });
});

const told = { kind: 'ok', value: undefined } as const;
const now = new Date('2026-11-21T09:40:01.000Z');
const aMinuteAgo = new Date(now.getTime() - 60_000);

/**
 * What becomes of a call that came in as its caller joins: what its agent is told, which rooms are closed, what is on record.
 * `isThere` says whether the account could pay a minute of it, beside the `minutes` that others have come to.
 */
async function cameIn({
  isThere = async () => true,
  answer = told,
  change = {},
  minutes = 0,
  heardOfAt = now,
}: {
  readonly isThere?: AccountBalance['isThere'];
  readonly answer?: ProviderResult<undefined>;
  readonly change?: Partial<Extract<CallEvent, { type: 'CallArrived' }>['data']>;
  readonly minutes?: number;
  readonly heardOfAt?: Date;
} = {}) {
  const [golden82] = golden<CallEvent>('CallArrived.v1');
  if (golden82?.type !== 'CallArrived') throw new Error('Another golden file.');
  const arrived = { ...golden82.data, ...change };
  const { call_id, room, customer_phone: customerPhone, assistant_phone: ourPhone } = arrived;
  const store = createInMemoryEventStore({ now: () => heardOfAt });
  await store.append({
    streamId: callStream(call_id),
    category: callCategory,
    accountId: 3,
    metadata,
    events: [{ type: 'CallArrived', data: arrived }],
    expectedVersion: 0,
  });
  const briefs: unknown[] = [];
  const closed: string[] = [];
  const platform: Partial<VoicePlatform> = {
    async introduce(caller, brief) {
      briefs.push([caller.identity, brief]);
      return answer;
    },
    async hangUp(each) {
      closed.push(each);
      return answer;
    },
  };
  const parts: Partial<VoiceEventParts> = {
    balance: { isThere },
    clock: { now: async () => now },
    log: new CallLog(new Aggregates(store)),
    platform: platform as VoicePlatform,
    sql: { query: async () => ({ rows: [{ id: call_id, minutes }] as never[], rowCount: 1 }) },
    store,
  };
  const caller = { room, identity: `sip_${customerPhone}`, openedAt: '2026-11-21T09:40:00.000Z' };
  const phones = { customerPhone, ourPhone, trunkId: 'ST_1' };
  const event: VoiceEvent = { type: 'joined', direction: 'inbound', ...caller, ...phones };
  const take = () => new VoiceEvents(parts as VoiceEventParts).take(event, message);
  const rejection = await take();
  const onRecord = async () => (await store.readStream(callStream(call_id))).slice(1);
  return { arrived, briefs, closed, identity: caller.identity, onRecord, rejection, take };
}

test.each<[string, ProviderResult<undefined>['kind'], string | undefined]>([
  ['is told', 'ok', undefined],
  ['may not have been told, and the platform tells again', 'unknown', 'unavailable'],
  ['cannot be told', 'rejected', undefined],
])('of a call that came in the agent %s what it is about', async (_, kind, code) => {
  const answer = kind === 'ok' ? told : { kind, code: null, message: 'no answer' };
  const { arrived, briefs, identity, rejection } = await cameIn({ answer });
  expect(rejection?.code).toBe(code);
  const { call_id, assistant_id, max_duration_s } = arrived;
  expect(briefs).toEqual([[identity, { call_id, assistant_id, input_variables: {}, max_duration_s }]]);
});

test('a call that came in is hung up where its account could not pay a minute of it, and says so', async () => {
  const asked: unknown[] = [];
  const { arrived, briefs, closed, onRecord, rejection, take } = await cameIn({
    minutes: 2,
    async isThere(...about) {
      asked.push(about);
      return false;
    },
  });
  const { call_id, room } = arrived;
  expect([rejection, briefs, closed, asked]).toEqual([null, [], [room], [[3, 300_000, 'request-1']]]);
  const unpaid = [
    { type: 'CallEnded', data: { call_id, status: 'failed', duration_s: 0, direction: 'inbound' } },
    { type: 'CallNotCharged', data: { call_id, amount_micros: 100_000 } },
  ];
  expect(await onRecord()).toMatchObject(unpaid);
  // Told again, as where the room could not be closed.
  await take();
  expect([closed, asked]).toHaveLength(2);
  expect(closed).toEqual([room, room]);
  expect(await onRecord()).toHaveLength(2);
});

test.each<[string, Parameters<typeof cameIn>[0]]>([
  ['costs nothing', { change: { price_per_minute_micros: 0 } }],
  ['nobody answers, whose agent ends it', { change: { assistant_id: null } }],
  ['was placed by others', { change: { direction: 'outbound' } }],
  ['has gone on for a minute, as where its caller was cut off,', { heardOfAt: aMinuteAgo }],
])('a call that %s goes on without money', async (_, about) => {
  const { briefs, closed, onRecord } = await cameIn({ isThere: async () => false, ...about });
  expect([briefs.length, closed, await onRecord()]).toEqual([1, [], []]);
});

test('a call that came in goes on where accounts does not answer, and ends where the look-up is broken', async () => {
  const silent = async () => Promise.reject(new ServiceUnavailable('accounts'));
  expect((await cameIn({ isThere: silent })).briefs).toHaveLength(1);
  await expect(cameIn({ isThere: async () => Promise.reject(new Error('broken')) })).rejects.toThrow(
    'broken',
  );
});

/** What is on record of a call that came in by a trunk of a German number. */
async function arrivedFrom(customerPhone: string) {
  const store = createInMemoryEventStore();
  const trunk = { id: 7, account_id: 3, country_code: 'DE', direction: 'inbound' };
  const sql: SqlExecutor = {
    async query({ name }) {
      const rows = (name === 'trunk-of-platform' ? [trunk] : []) as never[];
      return { rows, rowCount: rows.length };
    },
  };
  const parts: Partial<VoiceEventParts> = {
    ids: { next: async () => 81 },
    log: new CallLog(new Aggregates(store)),
    lookups: { speaking: async () => null } as Partial<CallLookups> as CallLookups,
    minutePriceMicros: 100_000,
    platform: {
      introduce: async () => ({ kind: 'ok', value: undefined }),
    } as Partial<VoicePlatform> as VoicePlatform,
    sql,
    store,
  };
  const event: VoiceEvent = {
    type: 'joined',
    room: `call-_${customerPhone}_1`,
    identity: `sip_${customerPhone}`,
    openedAt: '2026-11-21T09:31:00.000Z',
    direction: 'inbound',
    trunkId: 'ST_1',
    customerPhone,
    ourPhone: '030901820',
  };
  await new VoiceEvents(parts as VoiceEventParts).take(event, message);
  const [arrived] = await store.readStream(callStream(81));
  return arrived?.data;
}

test.each([
  ['+491701234567', '+491701234567'],
  ['491701234567', '+491701234567'],
  ['01701234567', '+491701234567'],
  ['33612345678', '+33612345678'],
  ['anonymous', 'anonymous'],
])('a caller is the same person however their carrier tells of them: %s is %s', async (told, phone) => {
  expect(await arrivedFrom(told)).toMatchObject({ customer_phone: phone, assistant_phone: '030901820' });
});
