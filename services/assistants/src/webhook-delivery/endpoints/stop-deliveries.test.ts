import type { VoiceWebhookEvent, WebhookDeliveryEvent } from '@parley/contracts';
import {
  Aggregates,
  createInMemoryEventStore,
  type EventStore,
  type RecordedEvent,
} from '@parley/event-store';
import { isOutage } from '@parley/processing';
import { recorded } from '@parley/testing';
import { v5 as uuidv5 } from 'uuid';
import { expect, test } from 'vitest';
import type { WebhookDeliveries } from '../../views/webhooks/webhook-deliveries.ts';
import { started, succeeded, url } from '../delivery.fixture.ts';
import { deliveryCategory, deliveryStream } from '../delivery.ts';
import { attemptTimerId } from '../sending/attempt-timer.ts';
import { stopDeliveries } from './stop-deliveries.ts';

const event = (data: VoiceWebhookEvent): RecordedEvent =>
  recorded(data, { streamId: 'voice-webhook-7', accountId: 7 });
const off = event({ type: 'VoiceWebhookSet', data: { url: null } });

const react = (
  store: EventStore,
  deliveries: WebhookDeliveries,
  to: RecordedEvent,
  signal: AbortSignal,
  aggregates = new Aggregates(store),
) =>
  stopDeliveries(aggregates, deliveries).react(to, {
    store,
    attempt: 1,
    signal,
    effectId: (label = '') => uuidv5(label, to.eventId),
    metadata: to.metadata,
  });

/** All that the reactor asks of them. */
const pending = (ids: readonly string[]) =>
  ({ pendingBefore: async () => ids.map((id) => ({ id, url })) }) as unknown as WebhookDeliveries;

test('a process that ends in the midst of it leaves the rest to whoever goes on', async () => {
  const store = createInMemoryEventStore();
  const ids = Array.from({ length: 250 }, (_, n) => `msg_${n}`);
  const ending = new AbortController();
  const cancelled = async () =>
    (await Promise.all(ids.map((id) => store.readStream(deliveryStream(id))))).filter(
      (events) => events.length > 0,
    ).length;
  const stopped = react(store, pending(ids), off, ending.signal);
  await Promise.resolve();
  ending.abort();
  await expect(stopped).rejects.toThrow('Stopped half way');
  expect(await cancelled()).toBeLessThan(250);
  await react(store, pending(ids), off, new AbortController().signal);
  expect(await cancelled()).toBe(250);
});

test('a delivery that others write without pause is cancelled as soon as they rest, however late that is', async () => {
  const store = createInMemoryEventStore();
  const append = store.append.bind(store);
  store.append = async () => ({ kind: 'conflict', actualVersion: 0 });
  const aggregates = new Aggregates(store, { racingMs: 0 });
  const signal = new AbortController().signal;
  await expect(async () => react(store, pending(['msg_1']), off, signal, aggregates)).rejects.toSatisfy(
    isOutage,
  );
  store.append = append;
  await react(store, pending(['msg_1']), off, signal, aggregates);
  expect(await store.readStream(deliveryStream('msg_1'))).toHaveLength(1);
});

test('what was asked for at the new URL meanwhile is not cancelled, though the view does not show it yet', async () => {
  const store = createInMemoryEventStore();
  const elsewhere = 'https://hooks.example/b';
  await store.append({
    streamId: deliveryStream('msg_asked'),
    category: deliveryCategory,
    accountId: 7,
    expectedVersion: 0,
    events: [started(1), { type: 'WebhookRedeliveryRequested', data: { url: elsewhere } }],
    metadata: off.metadata,
  });
  const moved = event({ type: 'VoiceWebhookSet', data: { url: elsewhere } });
  await react(store, pending(['msg_asked', 'msg_left']), moved, new AbortController().signal);
  expect(await store.readStream(deliveryStream('msg_asked'))).toHaveLength(2);
  expect(await store.readStream(deliveryStream('msg_left'))).toMatchObject([
    { type: 'WebhookCancelled', data: { reason: 'url_changed' } },
  ]);
});

test('what was asked for after its endpoint was turned off and on is not cancelled', async () => {
  const store = createInMemoryEventStore();
  const asked = (id: string) =>
    store.append({
      streamId: deliveryStream(id),
      category: deliveryCategory,
      accountId: 7,
      expectedVersion: 'any',
      events: [{ type: 'WebhookRedeliveryRequested', data: { url } }],
      metadata: off.metadata,
    });
  await asked('msg_before');
  const turnedOff = { ...off, position: await store.head() };
  await asked('msg_since');
  await react(store, pending(['msg_before', 'msg_since']), turnedOff, new AbortController().signal);
  expect(await store.readStream(deliveryStream('msg_since'))).toHaveLength(1);
  expect((await store.readStream(deliveryStream('msg_before'))).at(-1)).toMatchObject({
    type: 'WebhookCancelled',
  });
});

test('what is being sent keeps its timer until it has reported, and what has arrived meanwhile is left alone', async () => {
  const store = createInMemoryEventStore();
  const begin = (id: string, ...events: readonly WebhookDeliveryEvent[]) =>
    store.append({
      streamId: deliveryStream(id),
      category: deliveryCategory,
      accountId: 7,
      expectedVersion: 0,
      events,
      metadata: off.metadata,
      timers: [{ id: attemptTimerId(id), kind: 'webhook-attempt', due: { afterMs: 5_000 }, payload: {} }],
    });
  await begin('msg_waiting');
  await begin('msg_leaving', started(1));
  await begin('msg_arrived', started(1), succeeded(1));
  const ids = ['msg_waiting', 'msg_leaving', 'msg_arrived'];
  await react(store, pending(ids), { ...off, position: await store.head() }, new AbortController().signal);
  const ends = await Promise.all(ids.map((id) => store.readStream(deliveryStream(id))));
  expect(ends.map((events) => events.at(-1)?.type)).toEqual([
    'WebhookCancelled',
    'WebhookCancelled',
    'WebhookAttemptSucceeded',
  ]);
  expect(store.timers().map(({ id }) => id)).toEqual(['msg_leaving', 'msg_arrived'].map(attemptTimerId));
});
