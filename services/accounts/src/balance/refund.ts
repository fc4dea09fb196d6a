import type { Micros, Rejection } from '@parley/contracts';
import type { Balance } from './balance.ts';
import { type HoldDecision, type HoldPast, movedHold } from './hold.ts';
import { release } from './release.ts';

export interface Refund {
  readonly holdId: string;
  readonly description: string;
  readonly reference: string | null;
}

/**
 * Undoes a hold whose purpose failed: gives back what was captured, or releases the hold when nothing was captured
 * yet.
 */
export function refund(
  state: Balance,
  { holdId, description, reference }: Refund,
  past: HoldPast,
): HoldDecision | Rejection {
  const { capturedMicros } = past;
  if (capturedMicros === null) return release(state, holdId, past.wasReserved);
  return giveBack(state, { holdId, description, reference }, capturedMicros);
}

/** No event for a capture of 0: there is nothing to give back. */
function giveBack(
  state: Balance,
  { holdId: hold_id, description, reference }: Refund,
  amountMicros: Micros,
): HoldDecision {
  const data = { hold_id, amount_micros: amountMicros, description, reference };
  return movedHold(state, amountMicros === 0 ? [] : [{ type: 'BalanceRefunded', data }], amountMicros);
}
