import { type BalanceEvent, type Micros, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Balance, type BalanceReply, type Hold, moved } from './balance.ts';

/** The answer to everything that is done to a hold. */
interface HoldReply extends BalanceReply {
  /** What was reserved, captured, released or refunded. */
  readonly amount_micros: Micros;
}

export type HoldDecision = Decision<BalanceEvent, HoldReply>;

/** What the command log, or an import, says of a hold, which the fold forgets once it is settled. */
export interface HoldPast {
  readonly wasReserved: boolean;
  /** `null` unless it was captured. */
  readonly capturedMicros: Micros | null;
}

export const movedHold = (
  state: Balance,
  events: readonly BalanceEvent[],
  amountMicros: Micros,
): HoldDecision => ({
  events,
  reply: { ...moved(state, events).reply, amount_micros: amountMicros },
});

/** The open hold, or why there is none: settled in another way before, or never reserved (`wasReserved`). */
export function openHold(state: Balance, holdId: string, wasReserved: boolean): Hold | Rejection {
  const hold = state.holds.get(holdId);
  if (hold) return hold;
  return wasReserved
    ? reject('hold_settled')
    : reject('not_found', { message: 'There is no such reservation.' });
}
