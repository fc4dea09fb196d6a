import { type BalanceEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { balance, balanceStream } from './balance.ts';
import { type BookingType, book, importedBooking } from './booking.ts';

const streamId = balanceStream(7);
const paid = { amountMicros: 20, description: 'Top-up', reference: 'invoice 117' };
const booked = (type: BookingType, reference: string | null): BalanceEvent => ({
  type,
  data: { amount_micros: 20, description: 'Top-up', reference },
});

/** What another booking comes to in a ledger that has one by invoice 117, either from elsewhere or made here. */
async function again(
  change: Partial<typeof paid> = {},
  { isImported = true, was = 'BalanceToppedUp', is = was }: Partial<typeof elsewhere> = {},
) {
  const store = createInMemoryEventStore();
  await store.append({
    ...{ streamId, category: 'balance', accountId: 7, expectedVersion: 0 },
    metadata: isImported ? { ...testMetadata, imported: true } : testMetadata,
    events: [booked('BalanceToppedUp', null), booked(was, paid.reference)],
  });
  const { state } = await new Aggregates(store).load(streamId, balance);
  const wanted = { ...paid, ...change };
  return book(state, is, wanted, await importedBooking(store, streamId, is, wanted.reference));
}

const elsewhere: { isImported: boolean; was: BookingType; is: BookingType } = {
  isImported: true,
  was: 'BalanceToppedUp',
  is: 'BalanceToppedUp',
};

test.each([
  ['BalanceToppedUp', 40],
  ['BalanceDebited', 0],
] as const)('%s of before its account was imported is not booked again', async (was, available_micros) => {
  expect(await again({}, { was })).toEqual({ events: [], reply: { available_micros, reserved_micros: 0 } });
});

test.each([{ amountMicros: 21 }, { description: 'Another one' }])(
  'its reference with %o is refused',
  async (change) => {
    expect(await again(change)).toMatchObject({ code: 'idempotency_key_reuse' });
  },
);

test('any other payment is booked; for those that were booked here their commands speak', async () => {
  for (const outcome of [await again({ reference: 'invoice 118' }), await again({}, { isImported: false })])
    expect(outcome).toMatchObject({ events: [{ type: 'BalanceToppedUp' }] });
});

test('a payment is charged back by its own reference', async () => {
  expect(await again({}, { is: 'BalanceDebited' })).toMatchObject({
    events: [{ type: 'BalanceDebited' }],
    reply: { available_micros: 20 },
  });
});
