import { invalidField, type Micros, type Rejection } from '@parley/contracts';
import type { Balance } from './balance.ts';
import { type HoldDecision, movedHold, openHold } from './hold.ts';

export interface Capture {
  readonly holdId: string;
  readonly amountMicros: Micros;
  /** Capture what was reserved where `amountMicros` is more; otherwise that is rejected. */
  readonly isAtMost?: boolean;
}

/**
 * Takes the amount from the hold and frees the rest. Rejects more than was reserved (see `isAtMost`), a settled
 * hold with `hold_settled`, and an unknown one with `not_found`.
 */
export function capture(
  state: Balance,
  { holdId, amountMicros: wanted, isAtMost = false }: Capture,
  wasReserved: boolean,
): HoldDecision | Rejection {
  const hold = openHold(state, holdId, wasReserved);
  if ('code' in hold) return hold;
  const amountMicros = isAtMost ? Math.min(wanted, hold.amountMicros) : wanted;
  if (amountMicros > hold.amountMicros)
    return invalidField('amount_micros', 'The amount is more than was reserved.');
  return movedHold(
    state,
    [
      {
        type: 'BalanceCaptured',
        data: {
          hold_id: holdId,
          amount_micros: amountMicros,
          released_micros: hold.amountMicros - amountMicros,
          description: hold.description,
          reference: hold.reference,
        },
      },
    ],
    amountMicros,
  );
}
