import { CallEnded, type CallEvent, type Micros } from '@parley/contracts';
import type { AppendRequest, RecordedEvent } from '@parley/event-store';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import { type AccountBalance, type Hold, traceOf } from '@parley/service-kit';
import { callCategory, isLive, type LiveCall } from './call.ts';
import type { CallLog } from './call-log.ts';
import { minutesOf } from './price.ts';

/** What a caller's telephone says of itself may be longer than a line of the ledger. */
const maxDescription = 255;

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
    name: 'call-charges',
    handles: [CallEnded.type],
    laneOf: byAccount,
    async react(event, { effectId, metadata }) {
      const { duration_s, call_id } = CallEnded.data.parse(event.data);
      const { state } = await parts.log.load(call_id);
      if (event.accountId === null || !isLive(state)) return undefined;
      // In lanes the end of a call may come again: what was not paid then is not to be paid now.
      const commandId = effectId();
      if (await parts.log.answerOf({ commandId, fingerprint: null })) return undefined;
      const minutes = minutesOf(duration_s);
      const cost = minutes * state.price_per_minute_micros;
      const hold = {
        accountId: event.accountId,
        holdId: state.hold_id ?? effectId('hold'),
        ...traceOf(metadata),
      };
      const outcome = state.hold_id
        ? await settle(parts, hold, Math.min(cost, state.reserved_micros))
        : await pay(parts, hold, cost, state);
      const charged: CallEvent =
        outcome === 'unpaid'
          ? { type: 'CallNotCharged', data: { call_id, amount_micros: cost } }
          : { type: 'CallCharged', data: { call_id, amount_micros: outcome, minutes } };
      return append(event, charged, metadata, commandId);
    },
  });

/** A call that lasted longer than it may costs what was reserved. */
async function settle({ balance }: Parts, hold: Hold, cost: Micros): Promise<Micros> {
  if (cost === 0) await balance.release(hold);
  else await balance.capture(hold, cost);
  return cost;
}

async function pay(
  { balance }: Parts,
  hold: Hold,
  cost: Micros,
  { call_id, customer_phone, direction }: LiveCall,
): Promise<Micros | 'unpaid'> {
  if (cost === 0) return 0;
  const whole = `Call ${direction === 'inbound' ? 'from' : 'to'} ${customer_phone}`;
  const description = [...whole].slice(0, maxDescription).join('');
  const reference = `call/${call_id}`;
  const refused = await balance.reserve(hold, { amountMicros: cost, description, reference });
  if (refused) return 'unpaid';
  await balance.capture(hold, cost);
  return cost;
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
