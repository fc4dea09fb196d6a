import type { CallEvent, Micros } from '@parley/contracts';
import type { AccountBalance, Hold } from '@parley/service-kit';
import type { LiveCall } from './call.ts';
import { longestMs } from './call-timer.ts';
import { minutesOf } from './price.ts';

/** A call that is over, and what it is paid from. */
interface Charge {
  readonly balance: AccountBalance;
  readonly hold: Hold;
  readonly call: LiveCall;
  readonly durationS: number;
}

/** What a caller's telephone says of itself may be longer than a line of the ledger. */
const maxDescription = 255;

/** A call that lasted longer than it may, as it does until it is hung up, costs what was reserved. May be repeated. */
export async function chargeReserved({ balance, hold, call, durationS: toldS }: Charge): Promise<CallEvent> {
  const durationS = Math.min(toldS, call.max_duration_s);
  const most = Math.min(costOf(call, durationS), call.reserved_micros);
  if (most === 0) await balance.release(hold);
  else await balance.capture(hold, most);
  return charged(call, most, durationS);
}

/** Where nothing was reserved: all of it, or what is there. May be repeated where it was begun. */
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
 * The same of an imported call: the ledger that came along may show the payment already. Only a capture looks there: that
 * it was reserved is asked of commands, which stay where they were given.
 */
export async function payUnlessPaid(charge: Charge): Promise<CallEvent> {
  const { balance, hold, call } = charge;
  const durationS = possibleS(call, charge.durationS);
  const cost = costOf(call, durationS);
  const paid = cost > 0 ? await balance.captureAtMost(hold, cost) : null;
  return paid === null ? pay(charge) : charged(call, paid, durationS);
}

/** A call is hung up in the end: whoever says that it took longer counts in another unit. */
const possibleS = (call: LiveCall, durationS: number): number => Math.min(durationS, longestMs(call) / 1000);

const costOf = ({ price_per_minute_micros }: LiveCall, durationS: number): Micros =>
  minutesOf(durationS) * price_per_minute_micros;

const charged = ({ call_id }: LiveCall, amount_micros: Micros, durationS: number): CallEvent => ({
  type: 'CallCharged',
  data: { call_id, amount_micros, minutes: minutesOf(durationS) },
});
