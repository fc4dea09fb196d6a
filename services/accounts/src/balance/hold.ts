import { type BalanceEvent, type Micros, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Balance, type BalanceReply, type Hold, moved } from './balance.ts';

/** The answer to everything that is done to a hold; a repetition with another amount is told apart by it. */
interface HoldReply extends BalanceReply {
  /** What was reserved, captured or released. */
  readonly amount_micros: Micros;
}

export type HoldDecision = Decision<BalanceEvent, HoldReply>;

export const movedHold = (state: Balance, event: BalanceEvent, amountMicros: Micros): HoldDecision => ({
  events: [event],
  reply: { ...moved(state, [event]).reply, amount_micros: amountMicros },
});

/** The open hold, or why there is none: settled in another way before, or never reserved (`wasReserved`: the command log's word). */
export function openHold(state: Balance, holdId: string, wasReserved: boolean): Hold | Rejection {
  const hold = Object.hasOwn(state.holds, holdId) ? state.holds[holdId] : undefined;
  if (hold) return hold;
  return wasReserved
    ? reject('hold_settled')
    : reject('not_found', { message: 'There is no such reservation.' });
}
