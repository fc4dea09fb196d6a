import { type BalanceEvent, invalidField, type Micros, type Rejection, reject } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import { availableMicros, type Balance, type BalanceDecision, balance, moved } from './balance.ts';
import { importedEvents } from './imported-events.ts';

/** Money that an operator books, once for its reference. */
type BookingEvent = Extract<BalanceEvent, { type: 'BalanceToppedUp' | 'BalanceDebited' }>;
export type BookingType = BookingEvent['type'];

export interface Booking {
  readonly amountMicros: Micros;
  readonly description: string;
  readonly reference: string | null;
}

/**
 * Puts money on the balance, or takes it off: also what is spent or set aside already, and then nothing is reserved until
 * it is paid. `booked`: what its reference stands for already, in the installation that the account came from.
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

/** Its command stayed there, so that the reference alone tells. */
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
