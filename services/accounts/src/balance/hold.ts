import { type BalanceEvent, type Micros, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Balance, type BalanceReply, type Hold, moved } from './balance.ts';

/** Answer of every command about a hold. */
interface HoldReply extends BalanceReply {
  /** What the command reserved, captured, released or refunded. */
  readonly amount_micros: Micros;
}

export type HoldDecision = Decision<BalanceEvent, HoldReply>;

/**
 * What the command log or imported events tell about a hold; the fold of the balance forgets a hold once it is
 * settled.
 */
export interface HoldPast {
  readonly wasReserved: boolean;
  /** The amount that was captured; `null` when it was not captured. */
  readonly capturedMicros: Micros | null;
}

/** The decision to append `events` about a hold, answered with `amountMicros` and the balance after them. */
export const movedHold = (
  state: Balance,
  events: readonly BalanceEvent[],
  amountMicros: Micros,
): HoldDecision => ({
  events,
  reply: { ...moved(state, events).reply, amount_micros: amountMicros },
});

/** The open hold, or the rejection: `hold_settled` where it was reserved once (`wasReserved`), else `not_found`. */
export function openHold(state: Balance, holdId: string, wasReserved: boolean): Hold | Rejection {
  const hold = state.holds.get(holdId);
  if (hold) return hold;
  return wasReserved
    ? reject('hold_settled')
    : reject('not_found', { message: 'There is no such reservation.' });
}
