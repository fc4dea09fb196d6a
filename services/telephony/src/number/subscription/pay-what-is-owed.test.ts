import type { NumberEvent, PaymentMethodEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type NewEvent } from '@parley/event-store';
import type { Payments } from '@parley/providers';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { paymentMethodCategory, paymentMethodStream } from '../../payment-method/payment-method.ts';
import { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { numberCategory, numberStream } from '../number.ts';
import { payWhatIsOwed } from './pay-what-is-owed.ts';

const owed = golden<NumberEvent>(
  'NumberPurchaseRequested.v1',
  'NumberPurchased.v1',
  'NumberRenewalFailed.v1',
);
const [set] = golden<PaymentMethodEvent>('PaymentMethodSet.v1');
const removed = golden<PaymentMethodEvent>('PaymentMethodRemoved.v1');
const replaced = [{ ...set, data: { ...set?.data, payment_method_id: 'pm_2' } } as PaymentMethodEvent];

/** By which cards the renewal that is owed is paid, when it is heard that one came on file, after which this happened. */
async function cardsCharged(since: readonly PaymentMethodEvent[]) {
  const store = createInMemoryEventStore();
  const append = (streamId: string, category: string, events: readonly NewEvent[]) =>
    store.append({
      streamId,
      category,
      accountId: 3,
      events,
      expectedVersion: 'any',
      metadata: testMetadata,
    });
  await append(numberStream(7), numberCategory, owed);
  await append(paymentMethodStream(3), paymentMethodCategory, golden('PaymentMethodSet.v1'));
  const [heard] = await store.readStream(paymentMethodStream(3));
  if (!heard) throw new Error('No card came on file.');
  await append(paymentMethodStream(3), paymentMethodCategory, since);
  const charged: string[] = [];
  const payments: Partial<Payments> = {
    async payInvoice(_, methodId) {
      charged.push(methodId);
      return { kind: 'ok', value: null };
    },
  };
  const aggregates = new Aggregates(store);
  const methods = new PaymentMethods(aggregates, payments as Payments);
  const sql = { query: async () => ({ rows: [{ id: 7 }], rowCount: 1 }) } as never;
  const reactor = payWhatIsOwed({ aggregates, methods, payments: payments as Payments, sql });
  const signal = new AbortController().signal;
  await reactor.react(heard, { store, metadata: testMetadata, effectId: () => '', attempt: 1, signal });
  return charged;
}

test('what is owed is paid by a card that comes on file', async () => {
  expect(await cardsCharged([])).toEqual(['pm_1Qz8Yc']);
});

test('a card is not charged once it was taken off file, or another one has its place, however late that is heard of', async () => {
  expect(await cardsCharged(removed)).toEqual([]);
  expect(await cardsCharged(replaced)).toEqual([]);
});
