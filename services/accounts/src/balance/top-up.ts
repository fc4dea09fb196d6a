import { type BalanceEvent, invalidField, type Micros, type Rejection, reject } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import { type Balance, type BalanceDecision, moved } from './balance.ts';
import { importedEvents } from './imported-events.ts';

export interface TopUp {
  readonly amountMicros: Micros;
  readonly description: string;
  readonly reference: string | null;
}

type Booked = Extract<BalanceEvent, { type: 'BalanceToppedUp' }>['data'];

/** `booked`: what its reference stands for already, in the installation that the account came from. */
export function topUp(
  state: Balance,
  { amountMicros, description, reference }: TopUp,
  booked?: Booked,
): BalanceDecision | Rejection {
  if (booked) {
    const isSame = booked.amount_micros === amountMicros && booked.description === description;
    return isSame ? moved(state, []) : reject('idempotency_key_reuse');
  }
  if (!Number.isSafeInteger(state.totalMicros + amountMicros))
    return invalidField('amount_micros', 'The balance would be too large.');
  return moved(state, [
    { type: 'BalanceToppedUp', data: { amount_micros: amountMicros, description, reference } },
  ]);
}

/** Its command stayed there, so that the reference alone tells. */
export async function importedTopUp(
  store: Pick<EventStore, 'readAll'>,
  streamId: string,
  reference: string | null,
): Promise<Booked | undefined> {
  if (reference === null) return undefined;
  for (const { type, data } of await importedEvents(store, streamId, reference))
    if (type === 'BalanceToppedUp') return data;
  return undefined;
}
