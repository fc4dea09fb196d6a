import { randomUUID } from 'node:crypto';
import { type BalanceEvent, formatMicros } from '@parley/contracts';
import type { NewEvent, PostgresEventStore } from '@parley/event-store';
import { type Projection, rebuildProjection, verifyProjection } from '@parley/processing';
import { createTestStore } from '@parley/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { movementOf } from '../balance/ledger-line.ts';
import { createLinesLoader } from './account-queries.ts';
import { accountsView } from './accounts-view.ts';
import { createApiKeyLister } from './api-key-queries.ts';
import { apiKeysView } from './api-keys-view.ts';
import { ledgerView } from './ledger-view.ts';

const projections: readonly Projection[] = [accountsView, apiKeysView, ledgerView];
let store: PostgresEventStore;
let lastId = 0;
function nextId(): number {
  lastId += 1;
  return lastId;
}

beforeAll(async () => {
  store = await createTestStore(projections);
});
afterAll(() => store?.close());

async function append(category: string, id: number, accountId: number, events: readonly NewEvent[]) {
  const result = await store.append({
    streamId: `${category}-${id}`,
    category,
    accountId,
    events,
    expectedVersion: 'any',
    metadata: {
      correlationId: randomUUID(),
      causationId: randomUUID(),
      commandId: null,
      actor: { kind: 'system', id: 'test' },
    },
  });
  expect(result.kind).toBe('appended');
}

/** Histories that are allowed: amounts up to the largest, a hold that ends in one way or the other, or not at all. */
const micros = fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 2 ** 40 }));
const steps = fc.array(
  fc.tuple(fc.constantFrom('top-up', 'spend', 'give-back', 'free', 'hold', 'correct', 'debit'), micros),
  {
    minLength: 1,
    maxLength: 12,
  },
);

function historyOf(wishes: readonly (readonly [string, number])[]): BalanceEvent[] {
  let total = 0;
  let reserved = 0;
  const about = { description: 'Zeichen "ä" \\ \n 🦜', reference: null };
  return wishes.flatMap(([kind, wanted]): BalanceEvent[] => {
    const amount_micros = Math.min(wanted, total - reserved);
    const hold_id = randomUUID();
    if (kind === 'debit') {
      total -= wanted;
      return [{ type: 'BalanceDebited', data: { ...about, amount_micros: wanted } }];
    }
    if (kind === 'top-up' || amount_micros <= 0) {
      total += wanted;
      return [{ type: 'BalanceToppedUp', data: { ...about, amount_micros: wanted } }];
    }
    if (kind === 'correct') {
      total -= amount_micros;
      return [{ type: 'BalanceAdjusted', data: { amount_micros: -amount_micros, description: '' } }];
    }
    const hold: BalanceEvent = { type: 'BalanceReserved', data: { ...about, hold_id, amount_micros } };
    if (kind === 'hold') {
      reserved += amount_micros;
      return [hold];
    }
    if (kind === 'free')
      return [hold, { type: 'BalanceReleased', data: { hold_id, amount_micros, effect: 'freed' } }];
    const spent = Math.floor(amount_micros / 2);
    total -= spent;
    const captured = { ...about, hold_id, amount_micros: spent, released_micros: amount_micros - spent };
    const charged: BalanceEvent[] = [hold, { type: 'BalanceCaptured', data: captured }];
    if (kind === 'spend') return charged;
    total += spent;
    return [...charged, { type: 'BalanceRefunded', data: { ...about, hold_id, amount_micros: spent } }];
  });
}

test('the ledger has the lines, the numbers and the balances that the events add up to', async () => {
  const loadLines = createLinesLoader(store.pool);
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 6 }), async (accounts) => {
      const histories = accounts.map((wishes) => ({ accountId: nextId(), events: historyOf(wishes) }));
      // All at once, in two appends each: a batch holds several accounts, and several events of each.
      for (const part of [0, 1])
        await Promise.all(
          histories.map(({ accountId, events }) => {
            const middle = Math.ceil(events.length / 2);
            const half = part === 0 ? events.slice(0, middle) : events.slice(middle);
            return append('balance', accountId, accountId, half);
          }),
        );
      for (const { accountId, events } of histories) {
        let total = 0;
        const expected = events
          .flatMap((event) => movementOf(event).line ?? [])
          .map(({ amountMicros, type, description }, index) => {
            total += amountMicros;
            const amount = formatMicros(amountMicros);
            return { id: index + 1, type, amount, balance_after: formatMicros(total), description };
          });
        const page = JSON.parse(await loadLines({ accountId, page: 1, perPage: 100, upTo: null }));
        expect(page).toMatchObject({ total: expected.length, data: expected.reverse() });
      }
    }),
    { numRuns: 60 },
  );
});

test('a key created and deleted in one batch leaves nothing, and lists are newest first', async () => {
  const accountId = nextId();
  const key = (api_key_id: number): NewEvent => ({
    type: 'ApiKeyCreated',
    data: {
      api_key_id,
      name: `Key ${api_key_id}`,
      token_sha256: randomUUID(),
      expires_at: null,
      created_at: '2026-01-01T00:00:00.000Z',
    },
  });
  const [first, second, third] = [nextId(), nextId(), nextId()];
  await Promise.all([
    append('api-key', first, accountId, [key(first)]),
    append('api-key', second, accountId, [
      key(second),
      { type: 'ApiKeyDeleted', data: { api_key_id: second } },
    ]),
    append('api-key', third, accountId, [key(third)]),
  ]);
  const keys = JSON.parse(`[${await createApiKeyLister(store.pool)(accountId)}]`);
  expect(keys.map(({ id }: { id: number }) => id)).toEqual([third, first]);
});

test('a rebuild gives the very same rows', async () => {
  const account_id = nextId();
  await append('account', account_id, account_id, [
    {
      type: 'AccountRegistered',
      data: { account_id, email: 'ada@example.com', name: 'Ada', billing_unit: 'credits' },
    },
  ]);
  for (const projection of projections) {
    const options = { pool: store.pool, projection };
    expect(await verifyProjection(options)).toMatchObject({ differences: [] });
    expect(await rebuildProjection(options)).toMatchObject({ kind: 'rebuilt' });
    expect(await verifyProjection(options)).toMatchObject({ differences: [] });
  }
});
