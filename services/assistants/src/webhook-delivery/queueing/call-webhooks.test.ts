import { type CallEndedEvent, webhookBodies } from '@parley/contracts';
import { createInMemoryEventStore } from '@parley/event-store';
import { isOutage } from '@parley/processing';
import { golden, recorded, testMetadata } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import type { AssistantWebhooks } from '../endpoints/endpoints.ts';
import { callFields, webhooksOfCall } from './call-webhooks.ts';
import { heldCallTimer } from './held-calls.ts';
import { queueWebhook } from './queue-webhook.ts';
import { tellAboutCalls, tellOfHeld } from './tell-about-calls.ts';

const [ended] = golden<CallEndedEvent>('CallEnded.v1');
if (!ended) throw new Error('There is a golden call.');
const call = ended.data;
const post = 'https://hooks.example/post';
const inbound = 'https://hooks.example/inbound';
const settings = (change: Partial<AssistantWebhooks> = {}): AssistantWebhooks => ({
  urls: { post_call: post, inbound_call: inbound },
  onlyOnCompleted: false,
  includesRecording: false,
  ...change,
});

describe('a call that is over', () => {
  const told = (change: Partial<typeof call>, set: Partial<AssistantWebhooks> = {}) =>
    webhooksOfCall({ ...call, ...change }, settings(set)).map(({ event, url }) => [event, url]);

  test('is told to post_call when it was outbound', () => {
    expect(told({})).toEqual([['post_call', post]]);
  });

  test('is told to inbound_call when it was inbound, and to post_call as well when that is on', () => {
    expect(told({ direction: 'inbound' })).toEqual([
      ['inbound_call', inbound],
      ['post_call', post],
    ]);
    expect(told({ direction: 'inbound' }, { urls: { post_call: null, inbound_call: inbound } })).toEqual([
      ['inbound_call', inbound],
    ]);
  });

  test('is told to nobody when nothing is on', () => {
    const urls = { post_call: null, inbound_call: null };
    expect(told({}, { urls })).toEqual([]);
    expect(told({ direction: 'inbound' }, { urls })).toEqual([]);
  });

  test.each(['no_answer', 'busy', 'failed'] as const)(
    'and was %s is not told to a post_call of completed ones only',
    (status) => {
      expect(told({ status }, { onlyOnCompleted: true })).toEqual([]);
      expect(told({ status, direction: 'inbound' }, { onlyOnCompleted: true })).toEqual([
        ['inbound_call', inbound],
      ]);
      expect(told({ status })).toEqual([['post_call', post]]);
    },
  );

  test('and was completed is told to a post_call of completed ones only', () => {
    expect(told({ status: 'completed' }, { onlyOnCompleted: true })).toEqual([['post_call', post]]);
  });

  test('shows its recording only when the assistant includes it', () => {
    const parties = { lead: null, campaign: null };
    expect(callFields(call, 12, parties, settings())).not.toHaveProperty('recording_url');
    expect(callFields(call, 12, parties, settings({ includesRecording: true }))).toHaveProperty(
      'recording_url',
      call.recording_url,
    );
  });
});

describe('a queued webhook', () => {
  const metadata = {
    correlationId: 'request-1',
    causationId: 'x',
    commandId: null,
    actor: { kind: 'system', id: 'x' },
  } as const;
  const parties = {
    lead: { id: 5, phone_number: '+4930901820', variables: {} },
    campaign: { id: 3, name: 'Büro' },
  };
  const command = {
    accountId: 3,
    endpoint: { event: 'post_call', assistant_id: 12, url: post },
    eventId: '0193e2a0-0000-7000-8000-000000000001',
    occurredAt: '2026-11-21T09:31:14.000Z',
    fields: callFields(call, 12, parties, settings({ includesRecording: true })),
    metadata,
  } as const;
  const queued = (sequence: number) => {
    const { append: request } = queueWebhook(command, sequence);
    const [event] = request.events;
    return { request, data: event?.data as { delivery_id: string; body: string; sequence: number } };
  };

  test('has the fields of the contract beside its envelope, and nothing else', () => {
    const body = JSON.parse(queued(8).data.body);
    expect(webhookBodies.post_call.strict().parse(body)).toEqual(body);
    expect(body).toMatchObject({
      event: 'post_call',
      event_id: command.eventId,
      sequence: 8,
      occurred_at: command.occurredAt,
      id: call.call_id,
      transcript: call.transcript,
      duration: 74,
      recording_url: call.recording_url,
      ...parties,
    });
  });

  test('is the next one of its account and kind, or is refused', () => {
    expect(queued(8).request).toMatchObject({ streamId: 'webhook-queue-3:post_call', expectedVersion: 7 });
    expect(queued(8).request.events).toMatchObject([{ type: 'WebhookQueued', data: { sequence: 8 } }]);
  });

  test('is the same webhook however often and as whatever number it is queued', () => {
    const [first, second] = [queued(1), queued(2)];
    expect(first.data.delivery_id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(second.data.delivery_id).toBe(first.data.delivery_id);
    expect(second.request.command).toEqual(first.request.command);
    const { append: inboundToo } = queueWebhook(
      { ...command, endpoint: { ...command.endpoint, event: 'inbound_call' } },
      1,
    );
    expect(inboundToo.command?.commandId).not.toBe(first.request.command?.commandId);
    const { append: ofAnother } = queueWebhook({ ...command, accountId: 4 }, 1);
    expect(ofAnother.command?.commandId).not.toBe(first.request.command?.commandId);
    const deliveries = [inboundToo, ofAnother].map(({ command: { reply } }) => reply);
    expect(new Set([...deliveries, first.request.command.reply]).size).toBe(3);
    expect(JSON.parse(String(first.request.command.reply))).toEqual({ delivery_id: first.data.delivery_id });
  });

  test('is due at once', () => {
    expect(queued(1).request.timers).toMatchObject([
      { kind: 'webhook-attempt', due: { afterMs: 0 }, payload: { sequence: 1, correlation_id: 'request-1' } },
    ]);
  });
});

test.each([
  ['waits while nobody says what it was about', 6, true],
  ['is no more where another log stands in for that of the call', 9, false],
])('a webhook that waited for a recording %s', async (_, reached, isWaiting) => {
  const source = { read: async () => ({ events: [], head: reached, reached }) };
  const parts = { source } as unknown as Parameters<typeof tellOfHeld>[0];
  const told = tellOfHeld(parts, { account_id: 3, call_id: 81, position: 7 }, testMetadata);
  expect(await told.catch(isOutage)).toBe(isWaiting ? true : undefined);
});

test('a recording that is on record, to which nobody has come yet, is in the webhook that waited for it', async () => {
  const queued: unknown[] = [];
  const url = 'https://recordings.example/81.ogg';
  const recording = (position: number, call_id: number) =>
    recorded({
      position,
      type: 'CallRecordingAdded',
      data: { call_id, recording_url: `${url}?${position}` },
    });
  const log = [
    { ...recorded({ position: 7, type: 'CallEnded', data: { ...call, assistant_id: 12 } }), accountId: 3 },
    recording(9, call.call_id + 1),
    recording(11, call.call_id),
  ];
  const parts = {
    source: {
      // One at a time, as where they are large; there is more behind them.
      read: async ({ after, types }: { readonly after: number; readonly types: readonly string[] }) => {
        const next = log.find(({ position, type }) => position > after && types.includes(type));
        return { events: next ? [next] : [], reached: next?.position ?? 20, head: 20 };
      },
    },
    endpoints: { ofAssistant: async () => settings({ includesRecording: true }) },
    findParties: async () => ({ lead: null, campaign: null }),
    queues: { queue: async ({ fields }: { readonly fields: object }) => void queued.push(fields) },
  } as unknown as Parameters<typeof tellOfHeld>[0];
  await tellOfHeld(parts, { account_id: 3, call_id: call.call_id, position: 7 }, testMetadata);
  expect(queued).toMatchObject([{ recording_url: `${url}?11` }]);
});

test('other timers do not wait for webhooks that nobody can be asked about, but once', async () => {
  let asked = 0;
  const { 'held-call-webhooks': fire } = heldCallTimer(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const timer = { payload: { account_id: 3, call_id: 81, position: 7 } } as unknown as Parameters<
    typeof fire
  >[0];
  const context = { store: createInMemoryEventStore(), metadata: testMetadata };
  for (const _ of [1, 2, 3]) await expect(fire(timer, context)).rejects.toSatisfy(isOutage);
  expect(asked).toBe(1);
});

test('the calls of one account are told of without waiting for those of another', () => {
  const { laneOf } = tellAboutCalls({} as Parameters<typeof tellAboutCalls>[0]);
  const event = recorded({ type: 'CallEnded', data: call });
  expect(new Set([7, 7, 8].map((accountId) => laneOf?.({ ...event, accountId }))).size).toBe(2);
});
