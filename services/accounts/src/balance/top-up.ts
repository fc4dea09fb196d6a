import { invalidField, type Micros, type Rejection } from '@parley/contracts';
import { type Balance, type BalanceDecision, moved } from './balance.ts';

export interface TopUp {
  readonly amountMicros: Micros;
  readonly description: string;
  readonly reference: string | null;
}

export function topUp(
  state: Balance,
  { amountMicros, description, reference }: TopUp,
): BalanceDecision | Rejection {
  if (!Number.isSafeInteger(state.totalMicros + amountMicros))
    return invalidField('amount_micros', 'The balance would be too large.');
  return moved(state, [
    { type: 'BalanceToppedUp', data: { amount_micros: amountMicros, description, reference } },
  ]);
}
