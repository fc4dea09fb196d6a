import { randomUUID } from 'node:crypto';
import type { SipTrunkEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { type BusReply, type BusRequest, RequestTimedOut } from '@parley/message-bus';
import { pause } from '@parley/processing';
import type { OutgoingCall, VoicePlatform } from '@parley/providers';
import { AccountBalance, type Cause } from '@parley/service-kit';
import { golden, testMetadata as metadata } from '@parley/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { telephonyConfig } from '../config.ts';
import { sipTrunkCategory, sipTrunkStream } from '../sip-trunk/sip-trunk.ts';
import { CarrierLine } from '../voice/carrier-line.ts';
import { callStream } from './call.ts';
import { caller } from './call-history.fixture.ts';
import { CallLog } from './call-log.ts';
import { Calls, type WantedCall } from './calls.ts';
import { notPlaced } from './decisions.ts';
import { lookAtCall } from './timers/call-timers.ts';

const accountId = 3;
const wanted: WantedCall = {
  accountId,
  channel: 'phone',
  assistant_id: 12,
  customer_phone: '+4930901820',
  assistant_phone: '+14155550123',
  phone_number_id: null,
  sender_id: null,
  lead_id: null,
  campaign_id: null,
  input_variables: {},
  max_duration_s: 600,
};
const now = new Date('2026-11-21T09:30:00.000Z');
const clock = { now: async () => now };
const cause = (commandId: string = randomUUID()): Cause => ({
  metadata: { ...metadata, commandId },
  command: { commandId, fingerprint: null },
});

/** What accounts is asked for, in order, and how it answers. */
let asked: string[];
let answer: (subject: string) => Promise<BusReply>;
let onDialed: (call: OutgoingCall) => Promise<unknown>;
/** What the chat app says of the sender. */
let sipAccount: { readonly username: string; readonly password: string } | null;
let hungUp: string[];
/** What the operator's log is told. */
let told: object[];
let store: ReturnType<typeof createInMemoryEventStore>;
let log: CallLog;
let balance: AccountBalance;
let platform: VoicePlatform;
let calls: Calls;
beforeEach(() => {
  asked = [];
  answer = async () => ({ kind: 'ok', body: '{}' });
  onDialed = async () => undefined;
  sipAccount = null;
  hungUp = [];
  told = [];
  store = createInMemoryEventStore({ now: () => now });
  const aggregates = new Aggregates(store, { racingMs: 0 });
  log = new CallLog(aggregates);
  const request = ({ subject }: BusRequest) => {
    asked.push(subject.split('.').at(-1) ?? '');
    return answer(subject);
  };
  balance = new AccountBalance({ request, close: async () => undefined }, 'telephony');
  platform = {
    findTrunks: async () => ({ kind: 'ok', value: ['ST_1'] }),
    replaceTrunk: async () => ({ kind: 'ok', value: undefined }),
    async call(call) {
      await onDialed(call);
      return { kind: 'ok', value: undefined };
    },
    async hangUp(room) {
      hungUp.push(room);
      return { kind: 'ok', value: undefined };
    },
  } satisfies Partial<VoicePlatform> as Partial<VoicePlatform> as VoicePlatform;
  let id = 80;
  const ids = {
    async next() {
      id += 1;
      return id;
    },
  };
  const config = telephonyConfig.parse({ SANDBOX: 'true' });
  const carrierLine = new CarrierLine(platform, config);
  const chatAddress = config.CHAT_SIP_ADDRESS;
  const lookups = {
    assistant: async () => caller,
    obstacleTo: async () => null,
    sipAccountOf: async () => sipAccount,
  };
  const closing = new AbortController().signal;
  const minutePriceMicros = 100_000;
  const carrierTurns = { take: async () => 0 };
  const voice = { carrierLine, carrierTurns, chatAddress, lookups, pause, platform };
  const logger = { error: (about: object) => told.push(about) };
  calls = new Calls({ ...voice, aggregates, balance, clock, closing, ids, log, logger, minutePriceMicros });
});

const place = (by: Cause, want = wanted) =>
  calls.place(
    by,
    async () => want,
    (made) => made,
  );
const typesOf = async (id: number) => (await store.readStream(callStream(id))).map(({ type }) => type);
const isDialed = (id: number) => expect.poll(() => typesOf(id)).toEqual(['CallRequested', 'CallDialed']);

describe('a call', () => {
  test('is paid for, dialed, and answered the same again', async () => {
    const by = cause();
    expect(await place(by)).toMatchObject({ kind: 'done', replayed: false });
    await isDialed(81);
    expect(await place(by)).toMatchObject({ kind: 'done', replayed: true });
    expect(asked).toEqual(['reserve-balance']);
  });

  test('whose dialing breaks is told in the log', async () => {
    const err = new TypeError('The SDK broke.');
    onDialed = () => Promise.reject(err);
    await place(cause());
    await expect.poll(() => told).toEqual([{ err, call: 81 }]);
    expect(await typesOf(81)).toEqual(['CallRequested']);
  });

  test('that was dialed is on record as dialed, however busy its stream was meanwhile', async () => {
    onDialed = async () => {
      let left = 4;
      const { append } = store;
      store.append = async (request) => {
        left -= 1;
        return left < 0 ? append.call(store, request) : { kind: 'conflict', actualVersion: 1 };
      };
    };
    await place(cause());
    await isDialed(81);
  });

  test('that is asked for again while it is being placed is not paid for twice', async () => {
    const reserving = Promise.withResolvers<BusReply>();
    answer = () => reserving.promise;
    const by = cause();
    const first = place(by);
    await expect.poll(() => asked).toHaveLength(1);
    // There may be just enough for one.
    answer = async () => ({ kind: 'rejected', rejection: { code: 'insufficient_balance' } });
    expect(await place(by)).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'idempotency_in_progress' },
    });
    reserving.resolve({ kind: 'ok', body: '{}' });
    expect((await first).kind).toBe('done');
    await isDialed(81);
    expect(asked).toEqual(['reserve-balance']);
  });

  test('whose process died before it was on record may be asked for again three seconds later', async () => {
    answer = () => new Promise(() => undefined);
    const by = cause();
    void place(by);
    await expect.poll(() => asked).toHaveLength(1);
    const [timer] = store.timers();
    if (!timer) throw new Error('Nobody looks after it.');
    expect(Date.parse(timer.dueAt) - now.getTime()).toBe(3_000);
    const decided = await lookAtCall({ balance, clock, log, platform })(timer, { store, metadata });
    if (!decided) throw new Error('It is not given up.');
    expect(await store.append(decided)).toMatchObject({ kind: 'appended' });
    answer = async () => ({ kind: 'ok', body: '{}' });
    expect(await place(by)).toMatchObject({ kind: 'done', replayed: false });
    await isDialed(82);
  });

  test('that nobody can pay for leaves nothing behind', async () => {
    answer = async () => ({ kind: 'rejected', rejection: { code: 'insufficient_balance' } });
    const by = cause();
    const refused = { kind: 'rejected', rejection: { code: 'insufficient_balance' } };
    expect(await place(by)).toMatchObject(refused);
    expect(store.timers()).toEqual([]);
    expect(await place(by)).toMatchObject(refused);
  });

  test('whose reservation got no answer gives it back, and may be asked for again at once', async () => {
    answer = () => Promise.reject(new RequestTimedOut('no answer'));
    const by = cause();
    expect(await place(by)).toMatchObject({ kind: 'rejected', rejection: { code: 'unavailable' } });
    answer = async () => ({ kind: 'ok', body: '{}' });
    const [timer] = store.timers();
    if (!timer) throw new Error('Nobody gives it back.');
    expect(timer.dueAt).toBe(now.toISOString());
    asked = [];
    await lookAtCall({ balance, clock, log, platform })(timer, { store, metadata });
    expect(asked).toEqual(['release-balance']);
    expect(await place(by)).toMatchObject({ kind: 'done', replayed: false });
    await isDialed(82);
  });

  describe('from a sender of the chat app', () => {
    const fromSender: WantedCall = { ...wanted, channel: 'chatapp', sender_id: 7 };

    test('goes straight to the chat app’s server, as the sender and by the password of the moment', async () => {
      const dialedBy: OutgoingCall['via'][] = [];
      onDialed = async ({ via }) => dialedBy.push(via);
      for (const password of ['first', 'second']) {
        sipAccount = { username: '14155550123', password };
        await place(cause(), fromSender);
        await expect.poll(() => dialedBy.length).toBe(password === 'first' ? 1 : 2);
      }
      expect(dialedBy).toMatchObject([
        { server: { address: 'wa.meta.vc', credentials: { username: '14155550123' } } },
        { server: { address: 'wa.meta.vc', credentials: { username: '14155550123' } } },
      ]);
      const passwords = dialedBy.map((via) => 'server' in via && via.server.credentials.password.reveal());
      expect(passwords).toEqual(['first', 'second']);
    });

    test('that the chat app takes no calls of is not placed, and its history says why', async () => {
      await place(cause(), fromSender);
      await expect.poll(() => typesOf(81)).toEqual(['CallRequested', 'CallNotPlaced', 'CallEnded']);
      const [, notPlaced] = await store.readStream(callStream(81));
      expect(notPlaced?.data).toMatchObject({
        reason: 'The chat app has no SIP server on record for the sender.',
      });
    });
  });

  test('that was to go by a trunk that is deleted meanwhile goes by no other', async () => {
    const events = golden<SipTrunkEvent>('SipTrunkCreated.v1', 'SipTrunkDeleted.v1');
    await store.append({
      ...{ streamId: sipTrunkStream(9), category: sipTrunkCategory, accountId, metadata },
      ...{ events, expectedVersion: 0 },
    });
    await place(cause(), { ...wanted, phone_number_id: 9 });
    await expect.poll(() => typesOf(81)).toEqual(['CallRequested', 'CallNotPlaced', 'CallEnded']);
    expect((await store.readStream(callStream(81)))[1]?.data).toMatchObject({ may_pass_later: true });
  });

  test('that was given up before it was dialed is hung up', async () => {
    onDialed = () =>
      log.change(81, accountId, metadata, (state) =>
        notPlaced(state, { reason: 'late', mayPassLater: false }, now),
      );
    await place(cause());
    await expect.poll(() => hungUp).toEqual([expect.stringMatching(/^parley-call-81-[0-9a-f]{12}$/)]);
  });
});
