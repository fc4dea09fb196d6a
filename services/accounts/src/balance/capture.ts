import { invalidField, type Micros, type Rejection } from '@parley/contracts';
import type { Balance } from './balance.ts';
import { type HoldDecision, movedHold, openHold } from './hold.ts';

export interface Capture {
  readonly holdId: string;
  readonly amountMicros: Micros;
  /** What was reserved where that is less. */
  readonly isAtMost?: boolean;
}

/** Spends at most what was reserved; the rest is free again. */
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
