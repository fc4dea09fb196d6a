import { type Micros, type Rejection, reject } from '@parley/contracts';
import { availableMicros, type Balance } from './balance.ts';
import { type HoldDecision, movedHold } from './hold.ts';

export interface Reserve {
  readonly holdId: string;
  readonly amountMicros: Micros;
  /** It is over already: from all that is there, set aside for something else or not; less where that is less. */
  readonly isAtMost?: boolean;
  readonly description: string;
  readonly reference: string | null;
}

/** Whether there is too little to set so much aside. */
export const refusalByBalance = (state: Balance, amountMicros: Micros): Rejection | null =>
  amountMicros > availableMicros(state) ? reject('insufficient_balance') : null;

/**
 * Sets money aside, never more than is available, or than is there where it is over already. A repeated hold id never gets
 * this far: it has its answer already.
 */
export function reserve(
  state: Balance,
  { holdId, amountMicros: wanted, isAtMost = false, description, reference }: Reserve,
): HoldDecision | Rejection {
  if (state.barredHolds.includes(holdId)) return reject('hold_settled');
  const isThere = isAtMost && state.totalMicros > 0;
  const refusal = isThere ? null : refusalByBalance(state, wanted);
  if (refusal) return refusal;
  const amountMicros = isThere ? Math.min(wanted, state.totalMicros) : wanted;
  return movedHold(
    state,
    [
      {
        type: 'BalanceReserved',
        data: { hold_id: holdId, amount_micros: amountMicros, description, reference },
      },
    ],
    amountMicros,
  );
}
