import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import type { Payments } from '@parley/providers';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { endGrace } from './end-grace.ts';
import { graceTimer } from './grace-timer.ts';
import { numberCategory, numberStream } from './number.ts';

const owed = golden<NumberEvent>(
  'NumberPurchaseRequested.v1',
  'NumberPriced.v1',
  'NumberSubscribed.v1',
  'NumberProvisioned.v1',
  'NumberPurchased.v1',
  'NumberRenewalFailed.v1',
);
const dueAt = '2026-12-28T05:20:00.000Z';
const { due: _, ...timer } = graceTimer({ number_id: 7, account_id: 3, correlation_id: 'renewal' }, dueAt);

/** What the end of the grace period comes to. */
async function end(
  findSubscription: Payments['findSubscription'],
  more: readonly NumberEvent[] = [],
): Promise<unknown> {
  const store = createInMemoryEventStore();
  const stream = { streamId: numberStream(7), category: numberCategory, accountId: 3 };
  await store.append({ ...stream, events: [...owed, ...more], expectedVersion: 0, metadata: testMetadata });
  const handler = endGrace({ aggregates: new Aggregates(store), payments: { findSubscription } });
  return handler({ ...timer, dueAt }, { store, metadata: testMetadata });
}

const subscription = (isPaid: boolean) => async () =>
  ({
    kind: 'ok',
    value: {
      subscriptionId: 'sub_1',
      ...{ isEnded: false, isPaid, paymentIntentId: 'pi_1', paidUntil: dueAt },
    },
  }) as const;

test('a number that is not paid until then is released', async () => {
  const released = { events: [{ type: 'NumberReleaseRequested', data: { reason: 'unpaid' } }] };
  expect(await end(subscription(false))).toMatchObject(released);
  expect(await end(async () => ({ kind: 'ok', value: null }))).toMatchObject(released);
  const refused = { kind: 'rejected', code: 'unknown_customer', message: 'no such customer' } as const;
  expect(await end(async () => refused)).toMatchObject(released);
});

test('one that was paid, and whose payment has not been told yet, is kept and looked at again', async () => {
  expect(await end(subscription(true))).toMatchObject({
    events: [],
    timers: [{ id: timer.id, due: { afterMs: 3_600_000 }, payload: timer.payload }],
  });
});

test('one of which nobody can say whether it was paid is kept until somebody can', async () => {
  const away = async () => ({ kind: 'unavailable', message: 'away' }) as const;
  await expect(end(away)).rejects.toThrow(ServiceUnavailable);
});

test('one that is owed no more, or is given back, is left alone', async () => {
  for (const type of ['NumberRenewed.v1', 'NumberReleaseRequested.v1'])
    expect(await end(subscription(false), golden<NumberEvent>(type))).toBeUndefined();
});
