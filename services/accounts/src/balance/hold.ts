import { type Rejection, reject } from '@parley/contracts';
import type { Balance, Hold } from './balance.ts';

/** The open hold, or why there is none: settled in another way before, or never reserved (`wasReserved`: the command log's word). */
export function openHold(state: Balance, holdId: string, wasReserved: boolean): Hold | Rejection {
  const hold = Object.hasOwn(state.holds, holdId) ? state.holds[holdId] : undefined;
  if (hold) return hold;
  return wasReserved
    ? reject('hold_settled')
    : reject('not_found', { message: 'There is no such reservation.' });
}
