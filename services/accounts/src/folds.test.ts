import {
  type AccountEvent,
  type ApiKeyEvent,
  type BalanceEvent,
  events,
  upcastersOf,
} from '@parley/contracts';
import { given, golden, passedOver } from '@parley/testing';
import { Map as PersistentMap } from 'immutable';
import { describe, expect, test } from 'vitest';
import { account } from './account/account.ts';
import { erasure } from './account/erasure.ts';
import { apiKey } from './api-key/api-key.ts';
import { balance } from './balance/balance.ts';
import { movementOf } from './balance/ledger-line.ts';

describe('events as they were once written', () => {
  test('still make an account', () => {
    expect(given(account, ...golden<AccountEvent>('AccountRegistered.v1'))).toEqual({
      accountId: 3,
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      billingUnit: 'credits',
    });
  });

  test('still make and end an API key', () => {
    expect(given(apiKey, ...golden<ApiKeyEvent>('ApiKeyCreated.v1'))).toEqual({
      apiKeyId: 41,
      name: 'CI',
      createdAt: '2026-11-21T09:30:00.000Z',
      expiresAt: '2030-01-01T00:00:00.000Z',
    });
    expect(given(apiKey, ...golden<ApiKeyEvent>('ApiKeyCreated.v1', 'ApiKeyDeleted.v1'))).toBeNull();
  });

  test('still come to the same balance, in the fold and in the ledger', () => {
    const spent = golden<BalanceEvent>(
      'BalanceToppedUp.v1',
      'BalanceAdjusted.v1',
      'BalanceReserved.v1',
      'BalanceCaptured.v1',
      'BalanceDebited.v1',
    );
    expect(given(balance, ...spent)).toEqual({
      totalMicros: -12_000_000,
      reservedMicros: 0,
      holds: PersistentMap(),
      barredHolds: [],
    });
    expect(spent.map((event) => movementOf(event).line?.amountMicros ?? 0)).toEqual([
      25_000_000, -5_000_000, 0, -2_000_000, -30_000_000,
    ]);
  });

  test('still give back what was spent', () => {
    const refunded = golden<BalanceEvent>(
      'BalanceToppedUp.v1',
      'BalanceReserved.v1',
      'BalanceCaptured.v1',
      'BalanceRefunded.v1',
    );
    expect(given(balance, ...refunded)).toEqual({
      totalMicros: 25_000_000,
      reservedMicros: 0,
      holds: PersistentMap(),
      barredHolds: [],
    });
    expect(refunded.map((event) => movementOf(event).line?.amountMicros ?? 0)).toEqual([
      25_000_000, 0, -2_000_000, 2_000_000,
    ]);
  });

  test.each(['v1', 'v2'])('still free what was reserved, as %s of its event says it', (version) => {
    const reserved = golden<BalanceEvent>('BalanceToppedUp.v1', 'BalanceReserved.v1');
    expect(given(balance, ...reserved)).toMatchObject({
      totalMicros: 25_000_000,
      reservedMicros: 3_000_000,
    });
    const released = [...reserved, ...golden<BalanceEvent>(`BalanceReleased.${version}`)];
    expect(given(balance, ...released)).toEqual({
      totalMicros: 25_000_000,
      reservedMicros: 0,
      holds: PersistentMap(),
      barredHolds: [],
    });
  });

  test('still bar a hold whose release came first', () => {
    const [released] = golden<BalanceEvent>('BalanceReleased.v1');
    const upcast = upcastersOf(events, 'accounts').find(({ type }) => type === 'BalanceReleased');
    const data = upcast?.upcast({ hold_id: 'late', amount_micros: 0 });
    expect(given(balance, { ...released, data } as BalanceEvent)).toMatchObject({ barredHolds: ['late'] });
  });
});

test('an event that a later release has written leaves every state as it is', () => {
  const unknown = { type: 'SomethingNew', data: {} } as never;
  expect(account.evolve(null, unknown)).toBeNull();
  expect(apiKey.evolve(null, unknown)).toBeNull();
  expect(erasure.evolve(null, unknown)).toBeNull();
  expect(balance.evolve(balance.initialState, unknown)).toBe(balance.initialState);
});

test('every event that was ever written means something to the fold of its stream, or is named here', () => {
  const folds = { account, 'api-key': apiKey, balance, erasure };

  expect(passedOver('accounts', folds)).toEqual([]);
});
