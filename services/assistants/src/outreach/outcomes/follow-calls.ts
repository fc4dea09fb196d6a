import { CallEnded, CallNotPlaced } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { Reactor } from '@parley/processing';
import { callPutOff, endOfCall } from './end-of-call.ts';
import { type FollowParts, followOutcomes, type Told } from './follow-outcomes.ts';

/** Reactor on telephony's log: what came of a call decides how the campaign goes on with its lead. */
export const followCalls = (parts: FollowParts): Reactor =>
  followOutcomes(
    { name: 'campaign-call-outcomes', handles: [CallNotPlaced.type, CallEnded.type], read },
    parts,
  );

/**
 * What an event tells of a lead; null for calls of no campaign. A call that is put off ends as well, which is no news
 * then.
 */
function read({ type, data, metadata }: RecordedEvent): Told | null {
  if (type === CallNotPlaced.type) {
    const call = { ...CallNotPlaced.data.parse(data), command_id: metadata.commandId };
    if (call.lead_id === null || !call.may_pass_later) return null;
    return { leadId: call.lead_id, of: (state, _, now) => callPutOff(state, call, now) };
  }
  const call = CallEnded.data.parse(data);
  if (call.lead_id === null) return null;
  return { leadId: call.lead_id, of: (state, settings, now) => endOfCall(state, call, settings, now) };
}
