import type { BalanceEvent, Micros, Rejection } from '@parley/contracts';
import type { Balance } from './balance.ts';
import { type HoldDecision, movedHold, openHold } from './hold.ts';

/**
 * Frees the whole hold. For a hold that was never reserved it bars the id, so that a reservation which arrives late
 * is refused. Rejects with `hold_settled` a hold that was settled before.
 */
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
