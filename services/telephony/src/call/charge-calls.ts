import { CallEnded, type CallEvent } from '@parley/contracts';
import type { AppendRequest, RecordedEvent } from '@parley/event-store';
import { byAccount, defineReactor, effectIdOf, type Reactor } from '@parley/processing';
import { type AccountBalance, traceOf } from '@parley/service-kit';
import { callCategory, isLive } from './call.ts';
import type { CallLog } from './call-log.ts';
import { chargeReserved, pay } from './charge.ts';

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
      const charge = state.hold_id ? chargeReserved : pay;
      const charged = await charge({ balance: parts.balance, hold, call: state, durationS: duration_s });
      return append(event, charged, metadata, commandId);
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
