import type { Micros, Rejection } from '@parley/contracts';
import type { Balance } from './balance.ts';
import { type HoldDecision, type HoldPast, movedHold } from './hold.ts';
import { release } from './release.ts';

export interface Refund {
  readonly holdId: string;
  readonly description: string;
  readonly reference: string | null;
}

/** What a hold was for came to nothing: what was captured comes back, what is still set aside is free again. */
export function refund(
  state: Balance,
  { holdId, description, reference }: Refund,
  past: HoldPast,
): HoldDecision | Rejection {
  const { capturedMicros } = past;
  if (capturedMicros === null) return release(state, holdId, past.wasReserved);
  return giveBack(state, { holdId, description, reference }, capturedMicros);
}

/** A capture of nothing leaves nothing to give back. */
function giveBack(
  state: Balance,
  { holdId: hold_id, description, reference }: Refund,
  amountMicros: Micros,
): HoldDecision {
  const data = { hold_id, amount_micros: amountMicros, description, reference };
  return movedHold(state, amountMicros === 0 ? [] : [{ type: 'BalanceRefunded', data }], amountMicros);
}
