import { invalidField, type Micros, type Rejection } from '@parley/contracts';
import { type Balance, type BalanceDecision, moved } from './balance.ts';
import { openHold } from './hold.ts';

export interface Capture {
  readonly holdId: string;
  readonly amountMicros: Micros;
}

/** Spends at most what was reserved; the rest is free again. */
export function capture(
  state: Balance,
  { holdId, amountMicros }: Capture,
  wasReserved: boolean,
): BalanceDecision | Rejection {
  const hold = openHold(state, holdId, wasReserved);
  if ('code' in hold) return hold;
  if (amountMicros > hold.amountMicros)
    return invalidField('amount_micros', 'The amount is more than was reserved.');
  return moved(state, [
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
  ]);
}
