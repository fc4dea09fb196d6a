import { randomUUID } from 'node:crypto';
import { CallEnded, type CallPermissionEvent, queueWebhook, type SenderEvent } from '@parley/contracts';
import {
  Aggregates,
  type AppendRequest,
  createInMemoryEventStore,
  type EventMetadata,
  type SqlExecutor,
} from '@parley/event-store';
import { type BusClient, type BusRequest, ServiceUnavailable } from '@parley/message-bus';
import { ownLog, type ReactorContext } from '@parley/processing';
import { golden, recorded } from '@parley/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { senderStream } from '../sender/sender.ts';
import { askTimers } from './ask-timers.ts';
import { startAsk } from './asking.ts';
import { callPermission, permissionStream } from './call-permission.ts';
import { followCalls } from './follow-calls.ts';
import { contactWrote } from './happenings.ts';
import { ask, circumstances, contact, day, iso, start, terms } from './permission.fixture.ts';
import { PermissionLog } from './permission-log.ts';
import { countedAsks } from './standing.ts';
import { tellVoiceWebhook } from './tell-voice-webhook.ts';

const accountId = 3;
const stream = permissionStream(contact.senderId, contact.phone);
const wrote = contactWrote(contact, 'm1', iso(start - 1));
const senderPhone = '+4915112345678';
const metadata = {
  correlationId: 'request-1',
  causationId: 'command-1',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

let now: number;
let store: ReturnType<typeof createInMemoryEventStore>;
let aggregates: Aggregates;
let context: ReactorContext;
beforeEach(() => {
  now = start + day / 2;
  store = createInMemoryEventStore({ now: () => new Date(now) });
  aggregates = new Aggregates(store);
  context = {
    store,
    metadata,
    effectId: () => randomUUID(),
    attempt: 1,
    signal: new AbortController().signal,
  };
});

const append = (...events: readonly CallPermissionEvent[]) =>
  store.append({
    streamId: stream,
    category: 'permission',
    accountId,
    events,
    expectedVersion: 'any',
    metadata,
  });

const state = async () => (await aggregates.load(stream, callPermission)).state;

describe('a call that is over', () => {
  const ended = CallEnded.data.parse(golden<{ data: unknown }>('CallEnded.v1')[0]?.data);
  /** The account has one sender, when the call begins. */
  const sql: SqlExecutor = {
    async query({ values = [] }) {
      const [spellings, owner, _, at] = values;
      const isSender = Array.isArray(spellings) && spellings.includes(senderPhone) && owner === accountId;
      const rows = isSender && at === ended.created_at ? [{ id: contact.senderId }] : [];
      return { rows: rows as never[], rowCount: rows.length };
    },
  };
  const told = '+5215512345678';
  const call = (ours: string | null, theirs: string, status = 'completed') => ({
    type: CallEnded.type,
    data: {
      ...ended,
      assistant_phone: ours,
      customer_phone: theirs,
      status,
      finished_at: new Date(start + 60_000).toISOString(),
    },
  });
  const react = async (event: ReturnType<typeof call>) =>
    followCalls({
      ...{ source: ownLog(store), sql, store },
      known: async ({ senderId, phone }) => ({ senderId, phone: phone === told ? contact.phone : phone }),
    }).react(recorded(event, { accountId }), context);

  test.each([
    ['from the sender to the customer', senderPhone, contact.phone],
    ['with the sender on the other side', contact.phone, senderPhone],
    ['with the customer under another spelling', senderPhone, told],
  ])('%s frees the asks when it was connected', async (_, ours, theirs) => {
    await append(...golden<CallPermissionEvent>('CallPermissionAskStarted.v1'));
    const request = (await react(call(ours, theirs))) as AppendRequest;
    expect(request).toMatchObject({ streamId: stream, accountId });
    await store.append(request);
    for (const limit of terms.limits) expect(countedAsks(await state(), limit, now)).toEqual([]);
  });

  test('frees nothing when nobody answered', async () => {
    await append(...golden<CallPermissionEvent>('CallPermissionAskStarted.v1'));
    await store.append((await react(call(senderPhone, contact.phone, 'no_answer'))) as AppendRequest);
    for (const limit of terms.limits) expect(countedAsks(await state(), limit, now)).toHaveLength(1);
  });

  test('between others is none of ours', async () => {
    expect(await react(call('+4930123456', contact.phone))).toBeUndefined();
    expect(await react(call(null, contact.phone))).toBeUndefined();
  });

  test('never frees an ask of later, however far ahead the clock of telephony is', async () => {
    now = start;
    await store.append((await react(call(senderPhone, contact.phone))) as AppendRequest);
    expect((await state()).connectedCall?.at).toBe(new Date(start).toISOString());
  });
});

describe('an ask whose process died', () => {
  const fire = () =>
    askTimers(aggregates)['call-permission-ask']?.(
      {
        id: 'call-permission-ask:a',
        kind: 'call-permission-ask',
        dueAt: '2026-11-21T10:00:15.000000Z',
        payload: {
          sender_id: contact.senderId,
          customer_phone: contact.phone,
          ask_id: '0193e2a0-0000-5000-8000-00000000000a',
        },
      },
      { store, metadata },
    );

  test('is uncertain once it is overdue, and keeps counting', async () => {
    await append(...golden<CallPermissionEvent>('CallPermissionAskStarted.v1'));
    const request = await fire();
    expect(request).toMatchObject({ accountId, expectedVersion: 1 });
    if (request) await store.append(request);
    expect((await state()).asks).toMatchObject([{ status: 'unknown' }]);
  });

  test('is uncertain in the trace of the request that asked', async () => {
    const decide = () => startAsk(circumstances(start, [wrote]), ask('a'));
    const begun = { accountId, metadata, command: null, decide };
    expect(await new PermissionLog(aggregates).change(contact, begun)).toMatchObject({ kind: 'done' });
    expect(store.timers()).toMatchObject([
      {
        id: 'call-permission-ask:a',
        payload: { ask_id: 'a', correlation_id: 'request-1', causation_id: 'command-1' },
      },
    ]);
  });

  test('is left alone when its outcome is known', async () => {
    await append(...golden<CallPermissionEvent>('CallPermissionAskStarted.v1', 'CallPermissionRequested.v1'));
    expect(await fire()).toBeUndefined();
  });
});

describe('the voice webhook', () => {
  const conversation = '0193e2a0-0000-7000-8000-00000000000c';

  interface Circumstances {
    readonly from?: string;
    readonly later?: readonly SenderEvent[];
    readonly by?: EventMetadata;
  }

  /** What is told of these events of a customer of this sender; `later` happens before anything is told. */
  async function told(
    names: readonly string[],
    { from = '+442079460123', later = [], by = metadata }: Circumstances = {},
  ) {
    const asked: BusRequest[] = [];
    const bus: BusClient = {
      async request(request) {
        asked.push(request);
        return { kind: 'ok', body: '{"delivery_id":null}' };
      },
      async close() {},
    };
    const sender = (...events: readonly SenderEvent[]): AppendRequest => ({
      streamId: senderStream(contact.senderId),
      category: 'sender',
      accountId,
      events,
      expectedVersion: 'any',
      metadata,
    });
    now = start + 6 * 60_000;
    const [connected] = golden<SenderEvent>('SenderConnected.v1');
    if (connected?.type !== 'SenderConnected') throw new Error('Another golden file.');
    await store.append(sender({ ...connected, data: { ...connected.data, phone_number: from } }));
    await append(...golden<CallPermissionEvent>(...names));
    if (later.length > 0) await store.append(sender(...later));
    const reactor = tellVoiceWebhook({ aggregates, bus, terms, conversationOf: async () => conversation });
    const events = (await store.readStream(stream)).filter(({ type }) => reactor.handles.includes(type));
    for (const event of events) await reactor.react(event, { ...context, metadata: by });
    expect(new Set(asked.map((each) => each.context.chainDepth))).toEqual(new Set([by.chainDepth]));
    const bodies = asked.map(({ payload }) => queueWebhook.input.parse(JSON.parse(payload)));
    expect(bodies.map(({ event_id }) => event_id)).toEqual(events.map(({ eventId }) => eventId));
    return bodies;
  }

  test('is told what held when it happened, by the id of what happened', async () => {
    const names = [
      'CallPermissionAskStarted.v1',
      'CallPermissionRequested.v1',
      'CallPermissionGranted.v1',
      'CallPermissionRevoked.v1',
      'ContactVoiceCallEnded.v1',
    ];
    const [off] = golden<SenderEvent>('SenderVoiceCallingChanged.v1');
    const bodies = await told(names, { later: off ? [off] : [] });
    expect(bodies.map(({ fields: { type, status, can_call } }) => [type, status, can_call])).toEqual([
      ['call_permission_requested', 'pending', false],
      ['call_permission_granted', 'granted', true],
      ['call_permission_denied', 'revoked', false],
      ['voice_call', 'completed', false],
    ]);
    expect(bodies[1]).toMatchObject({
      account_id: accountId,
      event: 'chatapp_voice',
      fields: {
        sender_id: contact.senderId,
        customer_phone: contact.phone,
        conversation_id: conversation,
        expires_at: '2026-11-28T10:05:00+00:00',
      },
    });
  });

  test('is not told that a customer may be called whom the sender cannot call', async () => {
    const [granted] = await told(['CallPermissionGranted.v1'], { from: '+14155552671' });
    expect(granted?.fields).toMatchObject({ status: 'granted', can_call: false });
  });

  test('is told how deep the run is that a call goes back to, for its receiver may start another run', async () => {
    await told(['ContactVoiceCallEnded.v1'], { by: { ...metadata, chainDepth: 3 } });
  });
});

test('what one account’s calls lead to, and its voice webhook is told, waits for no other account', async () => {
  const bus: BusClient = { request: () => Promise.reject(new Error('never asked')), async close() {} };
  const known = async <Contact>(contact: Contact) => contact;
  const sql = { query: () => Promise.reject(new Error('never asked')) };
  await append(...golden<CallPermissionEvent>('CallPermissionRevoked.v1'));
  const [event] = await store.readStream(stream);
  if (!event) throw new Error('It was told.');
  for (const { laneOf } of [
    followCalls({ source: ownLog(store), sql, store, known }),
    tellVoiceWebhook({ aggregates, bus, terms, conversationOf: async () => null }),
  ])
    expect(new Set([7, 7, 8].map((accountId) => laneOf?.({ ...event, accountId }))).size).toBe(2);
});

test.each(['unavailable', 'contended'])(
  'the voice webhook is told for as long as it takes while its queue says %s',
  async (code) => {
    const bus: BusClient = {
      request: async () => ({ kind: 'rejected', rejection: { code } }),
      async close() {},
    };
    await append(...golden<CallPermissionEvent>('CallPermissionRevoked.v1'));
    const [event] = await store.readStream(stream);
    if (!event) throw new Error('It was told.');
    const reactor = tellVoiceWebhook({ aggregates, bus, terms, conversationOf: async () => null });
    await expect(reactor.react(event, context)).rejects.toThrow(ServiceUnavailable);
  },
);
