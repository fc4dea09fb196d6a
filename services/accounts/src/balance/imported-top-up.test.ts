import { type BalanceEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { balance, balanceStream } from './balance.ts';
import { importedTopUp, topUp } from './top-up.ts';

const streamId = balanceStream(7);
const paid = { amountMicros: 20, description: 'Top-up', reference: 'invoice 117' };
const toppedUp = (reference: string | null): BalanceEvent => ({
  type: 'BalanceToppedUp',
  data: { amount_micros: 20, description: 'Top-up', reference },
});

/** What another top-up comes to in a ledger that has one by invoice 117, either from elsewhere or made here. */
async function again(change: Partial<typeof paid> = {}, isImported = true) {
  const store = createInMemoryEventStore();
  await store.append({
    ...{ streamId, category: 'balance', accountId: 7, expectedVersion: 0 },
    metadata: isImported ? { ...testMetadata, imported: true } : testMetadata,
    events: [toppedUp(null), toppedUp(paid.reference)],
  });
  const { state } = await new Aggregates(store).load(streamId, balance);
  const wanted = { ...paid, ...change };
  return topUp(state, wanted, await importedTopUp(store, streamId, wanted.reference));
}

test('a payment that was booked before its account was imported is not booked again', async () => {
  expect(await again()).toEqual({ events: [], reply: { available_micros: 40, reserved_micros: 0 } });
});

test.each([{ amountMicros: 21 }, { description: 'Another one' }])(
  'its reference with %o is refused',
  async (change) => {
    expect(await again(change)).toMatchObject({ code: 'idempotency_key_reuse' });
  },
);

test('any other payment is booked; for those that were booked here their commands speak', async () => {
  for (const outcome of [await again({ reference: 'invoice 118' }), await again({}, false)])
    expect(outcome).toMatchObject({ events: [{ type: 'BalanceToppedUp' }] });
});
