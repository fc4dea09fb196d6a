import { type BalanceEvent, invalidField, type Micros, type Rejection, reject } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import { availableMicros, type Balance, type BalanceDecision, balance, moved } from './balance.ts';
import { importedEvents } from './imported-events.ts';

/** A booking of the operator: a top-up or a debit. */
type BookingEvent = Extract<BalanceEvent, { type: 'BalanceToppedUp' | 'BalanceDebited' }>;
export type BookingType = BookingEvent['type'];

export interface Booking {
  readonly amountMicros: Micros;
  readonly description: string;
  readonly reference: string | null;
}

/**
 * Tops up or debits the balance. A debit may take more than is available; nothing can be reserved then until that
 * is paid. `booked` is what an imported ledger holds under the same reference: the same booking is answered without
 * an event, another one rejected with `idempotency_key_reuse`. Rejects amounts that lead beyond safe integers.
 */
export function book(
  state: Balance,
  type: BookingType,
  { amountMicros: amount_micros, description, reference }: Booking,
  booked?: BookingEvent['data'],
): BalanceDecision | Rejection {
  if (booked) {
    const isSame = booked.amount_micros === amount_micros && booked.description === description;
    return isSame ? moved(state, []) : reject('idempotency_key_reuse');
  }
  const event: BookingEvent = { type, data: { amount_micros, description, reference } };
  const after = balance.evolve(state, event);
  if (![after.totalMicros, availableMicros(after)].every(Number.isSafeInteger))
    return invalidField('amount_micros', 'The balance would be too large.');
  return moved(state, [event]);
}

/**
 * The booking of this type and reference in the imported part of the ledger; undefined when there is none. Commands
 * are not imported, so only the event shows that the reference was used.
 */
export async function importedBooking(
  store: Pick<EventStore, 'readAll'>,
  streamId: string,
  bookedAs: BookingType,
  reference: string | null,
): Promise<BookingEvent['data'] | undefined> {
  if (reference === null) return undefined;
  for (const { type, data } of await importedEvents(store, streamId, reference))
    if (type === bookedAs) return data;
  return undefined;
}
