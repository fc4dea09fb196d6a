import type { CallEvent, Micros } from '@parley/contracts';
import type { AccountBalance, Hold } from '@parley/service-kit';
import type { LiveCall } from '../call.ts';
import { longestMs } from '../timers/call-timer.ts';
import { minutesOf } from './price.ts';

/** A call that is over, and the hold to pay it from; duration in seconds. */
interface Charge {
  readonly balance: AccountBalance;
  readonly hold: Hold;
  readonly call: LiveCall;
  readonly durationS: number;
}

/** Characters of a ledger's description: the caller's telephone decides what it calls itself, which may be longer. */
const maxDescription = 255;

/**
 * Charges a call to the hold that was reserved for it, and releases the rest. The cost is at most what was reserved,
 * also where the call took longer than it may, as it does until it is hung up. May be repeated.
 */
export async function chargeReserved({ balance, hold, call, durationS: toldS }: Charge): Promise<CallEvent> {
  const durationS = Math.min(toldS, call.max_duration_s);
  const most = Math.min(costOf(call, durationS), call.reserved_micros);
  if (most === 0) await balance.release(hold);
  else await balance.capture(hold, most);
  return charged(call, most, durationS);
}

/**
 * Charges a call for which nothing was reserved: the whole cost, or what the balance holds; `CallNotCharged` when it
 * refuses. May be repeated with the same hold.
 */
export async function pay({ balance, hold, call, durationS: toldS }: Charge): Promise<CallEvent> {
  const { call_id, customer_phone, direction } = call;
  const durationS = possibleS(call, toldS);
  const cost = costOf(call, durationS);
  if (cost === 0) return charged(call, cost, durationS);
  const whole = `Call ${direction === 'inbound' ? 'from' : 'to'} ${customer_phone}`;
  const description = [...whole].slice(0, maxDescription).join('');
  const reference = `call/${call_id}`;
  const refused = await balance.reserve(hold, { amountMicros: cost, isAtMost: true, description, reference });
  if (refused) return { type: 'CallNotCharged', data: { call_id, amount_micros: cost } };
  return charged(call, (await balance.captureAtMost(hold, cost)) ?? cost, durationS);
}

/**
 * As `pay`, for an imported call, which the imported ledger may show as paid. Only a capture finds that: a reservation
 * is recognised by its command, and commands are not imported.
 */
export async function payUnlessPaid(charge: Charge): Promise<CallEvent> {
  const { balance, hold, call } = charge;
  const durationS = possibleS(call, charge.durationS);
  const cost = costOf(call, durationS);
  const paid = cost > 0 ? await balance.captureAtMost(hold, cost) : null;
  return paid === null ? pay(charge) : charged(call, paid, durationS);
}

/** The duration, at most the longest that a call can last: a longer one was told in another unit. */
const possibleS = (call: LiveCall, durationS: number): number => Math.min(durationS, longestMs(call) / 1000);

const costOf = ({ price_per_minute_micros }: LiveCall, durationS: number): Micros =>
  minutesOf(durationS) * price_per_minute_micros;

const charged = ({ call_id }: LiveCall, amount_micros: Micros, durationS: number): CallEvent => ({
  type: 'CallCharged',
  data: { call_id, amount_micros, minutes: minutesOf(durationS) },
});
