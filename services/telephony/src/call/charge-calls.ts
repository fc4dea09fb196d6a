import { CallEnded, type CallEvent } from '@parley/contracts';
import type { AppendRequest, RecordedEvent } from '@parley/event-store';
import { byAccount, defineReactor, effectIdOf, type Reactor } from '@parley/processing';
import { type AccountBalance, type Hold, traceOf } from '@parley/service-kit';
import { callCategory, isLive, type LiveCall } from './call.ts';
import type { CallLog } from './call-log.ts';
import { minutesOf } from './price.ts';

/** What a caller's telephone says of itself may be longer than a line of the ledger. */
const maxDescription = 255;

const reactorName = 'call-charges';

/** By which a call is paid for which nothing was reserved; never changes, for it is known where a call is imported. */
export const paymentHold = (endEventId: string): string => effectIdOf(endEventId, reactorName, 'hold');

interface Parts {
  readonly balance: AccountBalance;
  readonly log: CallLog;
}

/**
 * For calls that we placed money is reserved beforehand; one that came in, or that others placed, is paid when it is
 * over.
 */
export const chargeCalls = (parts: Parts): Reactor =>
  defineReactor({
    name: reactorName,
    handles: [CallEnded.type],
    laneOf: byAccount,
    async react(event, { effectId, metadata }) {
      const { duration_s, call_id } = CallEnded.data.parse(event.data);
      const { state } = await parts.log.load(call_id);
      if (event.accountId === null || !isLive(state)) return undefined;
      // In lanes the end of a call may come again: what was not paid then is not to be paid now.
      const commandId = effectId();
      if (await parts.log.answerOf({ commandId, fingerprint: null })) return undefined;
      const hold = {
        accountId: event.accountId,
        holdId: state.hold_id ?? paymentHold(event.eventId),
        ...traceOf(metadata),
      };
      const charged = state.hold_id
        ? await chargeReserved(parts.balance, hold, state, duration_s)
        : await pay(parts.balance, hold, state, duration_s);
      return append(event, charged, metadata, commandId);
    },
  });

/** A call that lasted longer than it may costs what was reserved. May be repeated. */
export async function chargeReserved(
  balance: AccountBalance,
  hold: Hold,
  call: LiveCall,
  durationS: number,
): Promise<CallEvent> {
  const { cost, minutes } = costOf(call, durationS);
  const most = Math.min(cost, call.reserved_micros);
  if (most === 0) await balance.release(hold);
  else await balance.capture(hold, most);
  return { type: 'CallCharged', data: { call_id: call.call_id, amount_micros: most, minutes } };
}

/** May be repeated where it was begun. */
export async function pay(
  balance: AccountBalance,
  hold: Hold,
  call: LiveCall,
  durationS: number,
): Promise<CallEvent> {
  const { call_id, customer_phone, direction } = call;
  const { cost, minutes } = costOf(call, durationS);
  const charged: CallEvent = { type: 'CallCharged', data: { call_id, amount_micros: cost, minutes } };
  if (cost === 0) return charged;
  const whole = `Call ${direction === 'inbound' ? 'from' : 'to'} ${customer_phone}`;
  const description = [...whole].slice(0, maxDescription).join('');
  const reference = `call/${call_id}`;
  const refused = await balance.reserve(hold, { amountMicros: cost, description, reference });
  if (refused) return { type: 'CallNotCharged', data: { call_id, amount_micros: cost } };
  await balance.capture(hold, cost);
  return charged;
}

export function costOf({ price_per_minute_micros }: LiveCall, durationS: number) {
  const minutes = minutesOf(durationS);
  return { minutes, cost: minutes * price_per_minute_micros };
}

const append = (
  { streamId, accountId }: RecordedEvent,
  event: CallEvent,
  metadata: AppendRequest['metadata'],
  commandId: string,
): AppendRequest => ({
  streamId,
  category: callCategory,
  accountId,
  events: [event],
  expectedVersion: 'any',
  metadata,
  command: { commandId, fingerprint: '', reply: '' },
});
