import type { Rejection } from '@parley/contracts';
import type { Balance } from './balance.ts';
import { type HoldDecision, movedHold, openHold } from './hold.ts';

/** Frees a whole reservation. */
export function release(state: Balance, holdId: string, wasReserved: boolean): HoldDecision | Rejection {
  const hold = openHold(state, holdId, wasReserved);
  if ('code' in hold) return hold;
  return movedHold(
    state,
    [{ type: 'BalanceReleased', data: { hold_id: holdId, amount_micros: hold.amountMicros } }],
    hold.amountMicros,
  );
}
