import { invalidField, type Micros, type Rejection } from '@parley/contracts';
import { type Balance, type BalanceDecision, moved } from './balance.ts';

export interface SetTotal {
  readonly totalMicros: Micros;
  readonly description: string;
}

/**
 * Sets the total by an adjustment, with no event when it is right already. Rejects a total below what is reserved, and
 * one that is further away than a safe integer.
 */
export function setTotal(
  state: Balance,
  { totalMicros, description }: SetTotal,
): BalanceDecision | Rejection {
  if (totalMicros < state.reservedMicros)
    return invalidField('total_balance', 'The total cannot be less than what is reserved.');
  const amount = totalMicros - state.totalMicros;
  if (amount === 0) return moved(state, []);
  if (!Number.isSafeInteger(amount))
    return invalidField('total_balance', 'The total is too far from what it is.');
  return moved(state, [{ type: 'BalanceAdjusted', data: { amount_micros: amount, description } }]);
}
