import { CallCharged, CallEnded, CallNotCharged } from '@parley/contracts';
import { appendAtTimer, type TimerHandler, withOrigin } from '@parley/processing';
import { type AccountBalance, type StandingTimers, traceOf } from '@parley/service-kit';
import { callCategory, callStream, isLive } from '../call.ts';
import type { CallLog } from '../call-log.ts';
import { readCallTimer } from '../timers/call-timer.ts';
import { chargeReserved, payUnlessPaid } from './charge.ts';
import { paymentHold } from './charge-calls.ts';

/** Timer kind for imported calls that were over, but not charged, when their account left its former installation. */
export const importedChargeKind = 'imported-charge';

/**
 * Milliseconds for the rest of the import, which can be resumed only while nothing else has happened in the account.
 */
const graceMs = 60_000;

/** A timer for each such call. */
export const importedCharges = (log: CallLog): StandingTimers => ({
  types: [CallEnded.type],
  endedBy: [CallCharged.type, CallNotCharged.type],
  async of({ accountId, data, eventId, metadata }) {
    // Calls that ended here are charged by `chargeCalls`.
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

/** Timer handler: charges an imported call, and releases the rest of its hold. */
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
