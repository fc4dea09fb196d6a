import { type Micros, type Rejection, reject } from '@parley/contracts';
import { availableMicros, type Balance } from './balance.ts';
import { type HoldDecision, movedHold } from './hold.ts';

export interface Reserve {
  readonly holdId: string;
  readonly amountMicros: Micros;
  /**
   * What is paid for has happened already: reserve up to the whole total, even what other holds have set aside, and
   * less than `amountMicros` where the total is less.
   */
  readonly isAtMost?: boolean;
  readonly description: string;
  readonly reference: string | null;
}

/** Calls are reserved for at their longest, and give back soon what they did not cost. */
const setAsideSeconds = 60;

/**
 * `insufficient_balance` when less than the amount is available, with a time after which to try again when it is there,
 * but set aside; `null` when there is enough.
 */
export function refusalByBalance(state: Balance, amountMicros: Micros): Rejection | null {
  if (amountMicros <= availableMicros(state)) return null;
  const isThere = amountMicros <= state.totalMicros;
  return reject('insufficient_balance', isThere ? { retryAfterSeconds: setAsideSeconds } : {});
}

/**
 * Sets money aside under the hold id: never more than is available or, with `isAtMost`, than the total. Rejects
 * with `hold_settled` an id that was released before. A repeated reservation does not get here: the command log
 * answers it.
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
