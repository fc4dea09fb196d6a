import type { Rejection } from '@parley/contracts';
import { type Balance, type BalanceDecision, moved } from './balance.ts';
import { openHold } from './hold.ts';

/** Frees a whole reservation. */
export function release(state: Balance, holdId: string, wasReserved: boolean): BalanceDecision | Rejection {
  const hold = openHold(state, holdId, wasReserved);
  if ('code' in hold) return hold;
  return moved(state, [
    { type: 'BalanceReleased', data: { hold_id: holdId, amount_micros: hold.amountMicros } },
  ]);
}
