import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { platform } from '../voice/inbound-lines.fixture.ts';
import { lineOf, numberCategory, numberStream, phoneNumber } from './number.ts';
import { openLines } from './open-lines.ts';

const purchased = golden<NumberEvent>(
  'NumberPurchaseRequested.v1',
  'NumberPriced.v1',
  'NumberSubscribed.v1',
  'NumberProvisioned.v1',
  'NumberPurchased.v1',
);

/** What becomes of the purchase of a number that has come to this. */
async function react(events: readonly NumberEvent[], { lines }: ReturnType<typeof platform>) {
  const store = createInMemoryEventStore();
  const streamId = numberStream(7);
  await store.append({
    ...{ streamId, category: numberCategory, accountId: 3, metadata: testMetadata },
    events,
    expectedVersion: 0,
  });
  const [event] = await store.readAll({ after: 0, limit: 1, types: ['NumberPurchased'] });
  if (!event) throw new Error('The number was not purchased.');
  const { signal } = new AbortController();
  const aggregates = new Aggregates(store);
  await openLines({ aggregates, lines }).react(event, {
    ...{ store, metadata: testMetadata, effectId: () => '', attempt: 1, signal },
  });
  return (await aggregates.load(streamId, phoneNumber)).state;
}

test('a number that was bought without a line gets one, and no second', async () => {
  const voice = platform();
  const number = await react(purchased, voice);
  await react(purchased, voice);
  expect([...voice.trunks.values()]).toEqual([number && lineOf(number)]);
});

test('a number that is given back gets none', async () => {
  const voice = platform();
  await react([...purchased, ...golden<NumberEvent>('NumberReleaseRequested.v1')], voice);
  expect(voice.trunks.size).toBe(0);
});

test('while the voice platform is away, it is waited for', async () => {
  await expect(react(purchased, platform({ isReady: false }))).rejects.toThrow(ServiceUnavailable);
});
