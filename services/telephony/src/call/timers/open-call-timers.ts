import { CallArrived, CallDropped, CallEnded, CallRequested } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { withOrigin } from '@parley/processing';
import type { StandingTimers } from '@parley/service-kit';
import { call, isLive } from '../call.ts';
import { longestCallTimer } from './call-timer.ts';

/**
 * A timer for each call that is not over, which closes it when it can last no longer: an installation is not told how
 * an imported call ended.
 */
export const openCallTimers = (aggregates: Aggregates): StandingTimers => ({
  types: [CallRequested.type, CallArrived.type],
  endedBy: [CallEnded.type, CallDropped.type],
  async of({ accountId, metadata, streamId }) {
    const { state } = await aggregates.load(streamId, call);
    if (!isLive(state) || state.phase === 'ended') return [];
    return withOrigin([longestCallTimer(state.call_id, state)], accountId, metadata);
  },
});
