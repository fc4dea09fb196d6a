import { Aggregates, createInMemoryEventStore, type RecordedEvent } from '@parley/event-store';
import { recorded } from '@parley/testing';
import { v5 as uuidv5 } from 'uuid';
import { expect, test } from 'vitest';
import type { WebhookDeliveries } from '../views/webhook-deliveries.ts';
import { deliveryStream } from './delivery.ts';
import { stopDeliveries } from './stop-deliveries.ts';

const off = recorded(
  { type: 'VoiceWebhookDisabled', data: {} },
  { streamId: 'voice-webhook-7', accountId: 7 },
);

test('a process that ends in the midst of it leaves the rest to whoever goes on', async () => {
  const store = createInMemoryEventStore();
  const ids = Array.from({ length: 250 }, (_, n) => `msg_${n}`);
  const ending = new AbortController();
  // All that the reactor asks of them.
  const deliveries = {
    pendingBefore: async () => ids.map((id) => ({ id, url: 'https://hooks.example' })),
  } as unknown as WebhookDeliveries;
  const reactor = stopDeliveries(new Aggregates(store), deliveries);
  const react = (signal: AbortSignal) =>
    reactor.react(off as RecordedEvent, {
      store,
      attempt: 1,
      signal,
      effectId: (label = '') => uuidv5(label, off.eventId),
      metadata: off.metadata,
    });
  const cancelled = async () =>
    (await Promise.all(ids.map((id) => store.readStream(deliveryStream(id))))).filter(
      (events) => events.length > 0,
    ).length;
  const stopped = react(ending.signal);
  await Promise.resolve();
  ending.abort();
  await expect(stopped).rejects.toThrow('Stopped half way');
  expect(await cancelled()).toBeLessThan(250);
  await react(new AbortController().signal);
  expect(await cancelled()).toBe(250);
});
