import type { NumberEvent, SipTrunkEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test, vi } from 'vitest';
import { telephonyConfig } from '../config.ts';
import { numberCategory, numberStream } from '../number/number.ts';
import { sipTrunkCategory, sipTrunkStream } from '../sip-trunk/sip-trunk.ts';
import { CarrierLine } from '../voice/carrier-line.ts';
import { callStream } from './call.ts';
import { caller, now, request } from './call-history.fixture.ts';
import { CallLog } from './call-log.ts';
import { notPlaced, requestCall } from './decisions.ts';
import { dial } from './dial.ts';

const accountId = 3;
const notFound = { kind: 'rejected', code: 'not_found', message: 'object cannot be found' } as const;
const dialedWell = { kind: 'ok', value: undefined } as const;
const busy = { kind: 'unavailable', message: 'too many requests' } as const;
const gone = { reason: 'The voice platform does not know the call.', mayPassLater: false };
const refused = { kind: 'rejected', code: 'invalid_argument', message: 'no such number' } as const;

interface Circumstances {
  /** What the voice platform says to a call. */
  readonly outcome: ProviderResult<undefined>;
  /** It goes by the customer's own trunk; else by the line to the carrier, */
  readonly isOwnTrunk?: boolean;
  /** which is looked for with this result. */
  readonly line?: ProviderResult<readonly string[]>;
  /** In how many milliseconds the call has its turn there; null where that is too late. */
  readonly turn?: number | null;
  /** Nobody's campaign waits for it. */
  readonly isOfNoCampaign?: boolean;
  /** The process ends in the first pause. */
  readonly isClosing?: boolean;
  /** The database is away when it is looked up which way it is to go. */
  readonly isLookUpCut?: boolean;
  /** Whoever is to be called was erased since. */
  readonly isErased?: boolean;
  /** What its campaign says by its turn; not there to say it where it is an error. */
  readonly obstacle?: string | Error;
  /** The assistant that was to speak was deleted meanwhile. */
  readonly isAssistantGone?: boolean;
  /** The number that it was to come from was given back meanwhile. */
  readonly isNumberGone?: boolean;
  /** It is given up then, as by another process that finds nobody on the telephone. */
  readonly isGivenUp?: boolean;
}

/** How often a call was dialed, after which pauses, and what is on record of it. */
async function dialed({
  outcome,
  isOwnTrunk = false,
  line,
  turn = 0,
  isClosing = false,
  isErased = false,
  isOfNoCampaign = false,
  isGivenUp = false,
  isLookUpCut = false,
  isAssistantGone = false,
  isNumberGone = false,
  obstacle,
}: Circumstances) {
  const store = createInMemoryEventStore({ now: () => now });
  const aggregates = new Aggregates(store);
  const log = new CallLog(aggregates);
  const ofNobody = isOfNoCampaign ? { lead_id: null, campaign_id: null } : {};
  const data = { ...request, ...ofNobody, phone_number_id: isOwnTrunk ? 9 : 5 };
  const released = isNumberGone ? golden<NumberEvent>('NumberReleaseRequested.v1') : [];
  await store.append({
    ...{ streamId: numberStream(5), category: numberCategory, accountId, metadata },
    ...{
      events: [
        ...golden<NumberEvent>('NumberPurchaseRequested.v2'),
        ...golden<NumberEvent>('NumberPurchased.v1'),
        ...released,
      ],
      expectedVersion: 0,
    },
  });
  if (isOwnTrunk)
    await store.append({
      ...{ streamId: sipTrunkStream(9), category: sipTrunkCategory, accountId, metadata },
      ...{ events: golden<SipTrunkEvent>('SipTrunkCreated.v1'), expectedVersion: 0 },
    });
  const recorded = isErased ? { ...data, customer_phone: 'erased:0198c5a0' } : data;
  await log.change(data.call_id, accountId, metadata, (state) => requestCall(state, recorded, {}));
  let times = 0;
  const platform = {
    findTrunks: async () => line ?? { kind: 'ok', value: ['ST_1'] },
    replaceTrunk: async () => ({ kind: 'ok', value: undefined }),
    async call() {
      times += 1;
      return outcome;
    },
  } satisfies Partial<VoicePlatform> as Partial<VoicePlatform> as VoicePlatform;
  const closing = new AbortController();
  if (isLookUpCut) {
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
    vi.spyOn(aggregates, 'load').mockRejectedValueOnce(new ServiceUnavailable('The database is away.'));
  }
  const pauses: number[] = [];
  const patience: number[] = [];
  /** How long after now the call is looked up, during each pause. */
  const looks: number[] = [];
  const config = telephonyConfig.parse({ SANDBOX: 'true' });
  const parts = {
    aggregates,
    carrierLine: new CarrierLine(platform, config),
    carrierTurns: {
      async take(withinMs: number) {
        patience.push(withinMs);
        return turn;
      },
    },
    chatAddress: config.CHAT_SIP_ADDRESS,
    clock: { now: async () => now },
    closing: closing.signal,
    log,
    lookups: {
      assistant: async () => (isAssistantGone ? null : caller),
      sipAccountOf: async () => null,
      async obstacleTo() {
        if (obstacle instanceof Error) throw obstacle;
        return obstacle ?? null;
      },
    },
    async pause(ms: number) {
      pauses.push(ms);
      looks.push(...store.timers().map(({ dueAt }) => Date.parse(dueAt) - now.getTime()));
      if (isClosing) closing.abort();
      if (isGivenUp)
        await log.change(data.call_id, accountId, metadata, (state) => notPlaced(state, gone, now));
    },
    platform,
  };
  await dial(parts, { accountId, data, metadata });
  const [, ended] = await store.readStream(callStream(data.call_id));
  return { times, pauses, patience, looks, notPlaced: ended?.data };
}

test.each<[string, number, Circumstances]>([
  ['own trunk is gone at the voice platform', 1, { outcome: notFound, isOwnTrunk: true }],
  ['line to the carrier is gone whenever it is made', 3, { outcome: notFound }],
  ['line to the carrier is refused', 0, { outcome: notFound, line: refused }],
  ['line to the carrier has no turn in time', 0, { outcome: dialedWell, turn: null }],
  ['process ends before its turn', 0, { outcome: dialedWell, turn: 1_200, isClosing: true }],
  ['voice platform has no time', 3, { outcome: busy }],
  ['way out cannot be looked up in time', 0, { outcome: busy, isOwnTrunk: true, isLookUpCut: true }],
])('a call whose %s may be placed later', async (_, times, circumstances) => {
  expect(await dialed(circumstances)).toMatchObject({ times, notPlaced: { may_pass_later: true } });
});

test('a call that the voice platform refuses is not placed later either', async () => {
  const call = { times: 1, notPlaced: { may_pass_later: false } };
  expect(await dialed({ outcome: refused })).toMatchObject(call);
  expect(await dialed({ outcome: refused, isOwnTrunk: true })).toMatchObject(call);
});

test('a voice platform that has no time is given some, more the second time', async () => {
  const [first = 0, second = 0, ...more] = (await dialed({ outcome: busy })).pauses;
  expect(first).toBeGreaterThanOrEqual(200);
  expect(first).toBeLessThanOrEqual(600);
  expect(second).toBeGreaterThanOrEqual(400);
  expect(second).toBeLessThanOrEqual(1_200);
  expect(more).toEqual([]);
  expect((await dialed({ outcome: notFound })).pauses).toEqual([]);
});

test('a call by the line to the carrier waits for its turn there, and one by a customer’s own trunk does not', async () => {
  const call = { outcome: dialedWell, turn: 1_200 };
  expect(await dialed(call)).toMatchObject({ times: 1, pauses: [1_200] });
  expect(await dialed({ ...call, isOwnTrunk: true })).toMatchObject({ times: 1, pauses: [] });
});

test('a call is not taken for lost while it waits for its turn, which one of no campaign does for longer', async () => {
  const call = { outcome: dialedWell, turn: 9_000 };
  expect(await dialed(call)).toMatchObject({ patience: [10_000], looks: [39_000] });
  expect(await dialed({ ...call, isOfNoCampaign: true })).toMatchObject({ patience: [60_000] });
});

test('a call is not dialed again by a process that has begun to end meanwhile', async () => {
  const call = { times: 1, notPlaced: { may_pass_later: true } };
  expect(await dialed({ outcome: busy, isClosing: true })).toMatchObject(call);
});

test('nobody is rung up by a call that was given up before it was dialed', async () => {
  const call = { times: 1, notPlaced: { may_pass_later: false } };
  expect(await dialed({ outcome: busy, isGivenUp: true })).toMatchObject(call);
  const waiting = { outcome: dialedWell, turn: 9_000, isGivenUp: true };
  expect(await dialed(waiting)).toMatchObject({ ...call, times: 0 });
});

test('nobody is rung up who was erased while their call waited', async () => {
  const waiting = { outcome: dialedWell, turn: 9_000, isErased: true };
  expect(await dialed(waiting)).toMatchObject({ times: 0, notPlaced: { reason: 'The call was given up.' } });
});

test.each([
  ['assistant was deleted', { isAssistantGone: true }, 'The assistant was deleted.'],
  ['number was released', { isNumberGone: true }, 'The number that the call was to come from is gone.'],
])('a call whose %s while it waited for its turn is not placed', async (_, gone, reason) => {
  const waiting = { outcome: dialedWell, turn: 9_000, isOfNoCampaign: true, ...gone };
  expect(await dialed(waiting)).toMatchObject({ times: 0, notPlaced: { reason, may_pass_later: true } });
});

test('a lead whose campaign was stopped while its call waited for its turn is not rung up, and given back', async () => {
  const waiting = { outcome: dialedWell, turn: 9_000, obstacle: 'The campaign was stopped.' };
  expect(await dialed(waiting)).toMatchObject({
    times: 0,
    notPlaced: { reason: waiting.obstacle, may_pass_later: true },
  });
  expect(await dialed({ ...waiting, outcome: busy, isOwnTrunk: true })).toMatchObject({ times: 1 });
  expect(await dialed({ ...waiting, isOfNoCampaign: true })).toMatchObject({ times: 1 });
  const silent = { ...waiting, obstacle: new ServiceUnavailable('Nobody answers.') };
  expect(await dialed(silent)).toMatchObject({ times: 1 });
});
