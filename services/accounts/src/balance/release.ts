import type { BalanceEvent, Micros, Rejection } from '@parley/contracts';
import type { Balance } from './balance.ts';
import { type HoldDecision, movedHold, openHold } from './hold.ts';

/** Frees a whole reservation, and bars one that was never made: commands may overtake each other. */
export function release(state: Balance, holdId: string, wasReserved: boolean): HoldDecision | Rejection {
  if (!wasReserved) return movedHold(state, [released(holdId, 0, 'barred')], 0);
  const hold = openHold(state, holdId, wasReserved);
  if ('code' in hold) return hold;
  return movedHold(state, [released(holdId, hold.amountMicros, 'freed')], hold.amountMicros);
}

const released = (hold_id: string, amount_micros: Micros, effect: 'freed' | 'barred'): BalanceEvent => ({
  type: 'BalanceReleased',
  data: { hold_id, amount_micros, effect },
});
