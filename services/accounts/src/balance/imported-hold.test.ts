import { randomUUID } from 'node:crypto';
import { Aggregates, createInMemoryEventStore, type ExecuteResult } from '@parley/event-store';
import { expect, test } from 'vitest';
import { balance, balanceStream } from './balance.ts';
import { capture } from './capture.ts';
import { type HoldCommand, Ledger } from './ledger.ts';
import { refund } from './refund.ts';

const accountId = 7;
const streamId = balanceStream(accountId);
const about = { description: 'Test', reference: null };
const price = 4;

const message = () => ({
  ...{ accountId: null, actor: { kind: 'system', id: 'test' } as const, commandId: randomUUID() },
  ...{ fingerprint: null, correlationId: randomUUID(), expectedVersion: null, baseUrl: null },
  timeoutMs: 1000,
});

/** A ledger that came from another installation: its events, without the commands that they were given by. */
async function imported(...events: readonly (readonly [type: string, holdId: string, data?: object])[]) {
  const store = createInMemoryEventStore();
  await store.append({
    ...{ streamId, category: 'balance', accountId, expectedVersion: 0 },
    metadata: {
      ...{ actor: { kind: 'system', id: 'test' }, correlationId: '', causationId: '', commandId: null },
      imported: true,
    },
    events: [
      { type: 'BalanceToppedUp', data: { amount_micros: 20, ...about } },
      ...events.map(([type, hold_id, data]) => ({
        type,
        data: { hold_id, amount_micros: price, ...about, ...data },
      })),
    ],
  });
  return { store, ledger: new Ledger(new Aggregates(store), store) };
}

const captured = (holdId: string) => ['BalanceCaptured', holdId, { released_micros: 0 }] as const;

test('what was paid for before its account was imported is given back once, and nothing else', async () => {
  const [paid, refunded, freed, open] = ['paid', 'refunded', 'freed', 'open'] as const;
  const { store, ledger } = await imported(
    ...[paid, refunded, freed, open].map((holdId) => ['BalanceReserved', holdId] as const),
    ...[captured(paid), captured(refunded)],
    ['BalanceRefunded', refunded],
    ['BalanceReleased', freed, { effect: 'freed' }],
  );
  const of = (holdId: string, action: HoldCommand['action']) => ({ accountId, holdId, action });
  const giveBack = (holdId: string): Promise<ExecuteResult> =>
    ledger.moveHold(message(), of(holdId, 'refund'), (state, past) =>
      refund(state, { holdId, ...about }, past),
    );
  const pay = (holdId: string): Promise<ExecuteResult> =>
    ledger.moveHold(message(), { ...of(holdId, 'capture'), amountMicros: price }, (state, { wasReserved }) =>
      capture(state, { holdId, amountMicros: price }, wasReserved),
    );
  const settled = { kind: 'rejected', rejection: { code: 'hold_settled' } };
  expect(await pay(open)).toMatchObject({ kind: 'done' });
  expect(await pay(paid)).toMatchObject(settled);
  expect(await pay('never')).toMatchObject({ kind: 'rejected', rejection: { code: 'not_found' } });
  for (const holdId of [refunded, freed]) expect(await giveBack(holdId)).toMatchObject(settled);
  for (const holdId of [paid, paid, open, open])
    expect(await giveBack(holdId)).toMatchObject({ kind: 'done' });
  const { state } = await new Aggregates(store).load(streamId, balance);
  expect(state).toMatchObject({ totalMicros: 20, reservedMicros: 0, barredHolds: [] });
});

test('a hold that no import knows is barred, however long the ledger is', async () => {
  const holds = Array.from({ length: 600 }, () => randomUUID());
  const { store, ledger } = await imported(
    ...holds.flatMap((holdId) => [
      ['BalanceReserved', holdId] as const,
      ['BalanceReleased', holdId, { effect: 'freed' }] as const,
    ]),
  );
  const [last = ''] = holds.slice(-1);
  const giveBack = (holdId: string) =>
    ledger.moveHold(message(), { accountId, holdId, action: 'refund' }, (state, past) =>
      refund(state, { holdId, ...about }, past),
    );
  expect(await giveBack('new')).toMatchObject({ kind: 'done' });
  expect(await giveBack(last)).toMatchObject({ rejection: { code: 'hold_settled' } });
  const { state } = await new Aggregates(store).load(streamId, balance);
  expect(state.barredHolds).toEqual(['new']);
});
