import { CallEnded, type CallEvent } from '@parley/contracts';
import type { AppendRequest, RecordedEvent } from '@parley/event-store';
import { byAccount, defineReactor, effectIdOf, type Reactor } from '@parley/processing';
import { type AccountBalance, traceOf } from '@parley/service-kit';
import { callCategory, isLive } from '../call.ts';
import type { CallLog } from '../call-log.ts';
import { chargeReserved, pay } from './charge.ts';

const reactorName = 'call-charges';

/**
 * Id of the hold of a call for which nothing was reserved. Never change it: imported calls are recognised by it as
 * paid.
 */
export const paymentHold = (endEventId: string): string => effectIdOf(endEventId, reactorName, 'hold');

interface Parts {
  readonly balance: AccountBalance;
  readonly log: CallLog;
}

/**
 * Reactor: charges calls when they are over. A call that we placed is paid from its hold; for one that came in, or that
 * others placed, nothing was reserved.
 */
export const chargeCalls = (parts: Parts): Reactor =>
  defineReactor({
    name: reactorName,
    handles: [CallEnded.type],
    laneOf: byAccount,
    async react(event, { effectId, metadata }) {
      const { duration_s, call_id } = CallEnded.data.parse(event.data);
      const { state } = await parts.log.load(call_id);
      // A call that was turned away is settled as it ends. And a reactor with lanes may get the event again: what could not
      // be paid the first time must not be paid now.
      if (event.accountId === null || !isLive(state) || state.isSettled) return undefined;
      const hold = {
        accountId: event.accountId,
        holdId: state.hold_id ?? paymentHold(event.eventId),
        ...traceOf(metadata),
      };
      const charge = state.hold_id ? chargeReserved : pay;
      const charged = await charge({ balance: parts.balance, hold, call: state, durationS: duration_s });
      return append(event, charged, metadata, effectId());
    },
  });

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
