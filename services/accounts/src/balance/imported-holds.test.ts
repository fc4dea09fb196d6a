import { Aggregates, createInMemoryEventStore, type EventStore } from '@parley/event-store';
import type { BackgroundParts } from '@parley/service-kit';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountsService } from '../accounts-service.ts';
import { balance, balanceStream } from './balance.ts';

const accountId = 7;
const streamId = balanceStream(accountId);
const about = { description: 'Test', reference: null };

const reserved = (hold_id: string) => ({
  type: 'BalanceReserved',
  data: { hold_id, amount_micros: 4, ...about },
});
const captured = (hold_id: string) => ({
  type: 'BalanceCaptured',
  data: { hold_id, amount_micros: 4, released_micros: 0, ...about },
});

const stateOf = async (store: EventStore) => (await new Aggregates(store).load(streamId, balance)).state;

test('what was reserved when its account was exported is free again a day after its import', async () => {
  const store = createInMemoryEventStore();
  const stream = { streamId, category: 'balance', accountId };
  const metadata = { ...testMetadata, imported: true } as const;
  const topUp = { type: 'BalanceToppedUp', data: { amount_micros: 20, ...about } };
  const events = [topUp, ...['open', 'paid', 'late'].map(reserved), captured('paid')];
  await store.append({ ...stream, events, metadata, expectedVersion: 0 });
  const { standingTimers = [], timers = {} } =
    accountsService.background?.({ store } as unknown as BackgroundParts) ?? {};
  const recorded = await store.readStream(streamId);
  const [last] = recorded.filter(({ type }) => standingTimers[0]?.types.includes(type)).slice(-1);
  if (!last) throw new Error('Nobody looks after what is reserved.');
  const set = (await standingTimers[0]?.of(last)) ?? [];
  expect(set.map(({ due }) => due)).toEqual(Array(2).fill({ afterMs: 24 * 60 * 60 * 1_000 }));
  expect(await stateOf(store)).toMatchObject({ totalMicros: 16, reservedMicros: 8 });

  await store.append({
    ...stream,
    events: [captured('late')],
    metadata: testMetadata,
    expectedVersion: 'any',
  });
  for (const { id, kind, payload } of [...set, ...set]) {
    const due = { id, kind, payload, dueAt: '2026-11-22T09:30:00.000000Z' };
    expect(await timers[kind]?.(due, { store, metadata: testMetadata })).toBeUndefined();
  }
  expect(await stateOf(store)).toMatchObject({ totalMicros: 12, reservedMicros: 0, barredHolds: [] });
});
