import { CallCharged, CallEnded, CallNotCharged } from '@parley/contracts';
import { appendAtTimer, type TimerHandler, withOrigin } from '@parley/processing';
import { type AccountBalance, type StandingTimers, traceOf } from '@parley/service-kit';
import { callCategory, callStream, isLive } from './call.ts';
import type { CallLog } from './call-log.ts';
import { readCallTimer } from './call-timer.ts';
import { chargeReserved, payUnlessPaid } from './charge.ts';
import { paymentHold } from './charge-calls.ts';

/** The kind of the timer of each call that was over, and not charged yet, when its account left another installation. */
export const importedChargeKind = 'imported-charge';

/** The rest of the account comes first: what is cut off goes on only where nothing has happened yet. */
const graceMs = 60_000;

export const importedCharges = (log: CallLog): StandingTimers => ({
  types: [CallEnded.type],
  endedBy: [CallCharged.type, CallNotCharged.type],
  async of({ accountId, data, eventId, metadata }) {
    // What was over here is charged by itself.
    if (!metadata.imported) return [];
    const { call_id } = CallEnded.data.parse(data);
    const { state } = await log.load(call_id);
    if (!isLive(state)) return [];
    const id = `${importedChargeKind}-${call_id}`;
    const payload = { call_id, hold_id: state.hold_id ?? paymentHold(eventId) };
    const timer = { id, kind: importedChargeKind, due: { afterMs: graceMs }, payload };
    return withOrigin([timer], accountId, { ...metadata, causationId: eventId });
  },
});

/** What the call costs is taken, and the rest of what was reserved for it given back. */
export const chargeImported =
  ({ balance, log }: { readonly balance: AccountBalance; readonly log: CallLog }): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const { callId, accountId, holdId } = readCallTimer(payload);
    const { state, version: expectedVersion } = await log.load(callId);
    if (!isLive(state) || !state.end || holdId === null || accountId === null) return undefined;
    const hold = { accountId, holdId, ...traceOf(metadata) };
    const charge = state.hold_id === null ? payUnlessPaid : chargeReserved;
    const charged = await charge({ balance, hold, call: state, durationS: state.end.duration_s });
    return appendAtTimer(
      { streamId: callStream(callId), category: callCategory, accountId, expectedVersion, metadata },
      { events: [charged] },
    );
  };
