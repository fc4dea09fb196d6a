import { type CallEvent, type Rejection, reject } from '@parley/contracts';
import type { ClaimChange, ClaimTaken, Decision } from '@parley/event-store';
import type { CallOutcome, CallReport } from '@parley/providers/livekit';
import { type Call, callStream, isLive, type LiveCall } from './call.ts';
import {
  callTimerId,
  giveBackTimer,
  longestCallTimer,
  type Placing,
  placementTimer,
  preparationTimer,
  recordingTimer,
  remainingCallTimer,
  reportTimer,
  unreportedTimer,
  unreportedTimerId,
} from './call-timer.ts';
import { reportedEnd, unreportedEnd } from './report.ts';

type Outcome = Decision<CallEvent>;
export type CallRequestedData = Extract<CallEvent, { type: 'CallRequested' }>['data'];
export type CallArrivedData = Extract<CallEvent, { type: 'CallArrived' }>['data'];

export const nothing: Outcome = { events: [], reply: '{}' };

/**
 * One call per request: a request that comes twice while the first is being placed is not paid for twice. Given back when
 * the call is never placed.
 */
const requestClaim = (op: ClaimChange['op'], { callId, commandId }: Placing): readonly ClaimChange[] =>
  commandId === null ? [] : [{ op, scope: 'call-of-request', key: commandId, owner: callStream(callId) }];

/** Before its money is set aside. Refused when the request is being carried out already, or was. */
export const prepareCall = (
  placing: Placing,
): Outcome & { readonly onClaimTaken: (taken: ClaimTaken) => Rejection } => ({
  events: [],
  claims: requestClaim('take', placing),
  timers: [preparationTimer(placing)],
  onClaimTaken: () => reject('idempotency_in_progress'),
  reply: '{}',
});

/** The process that prepares it is alive. Once the call is on record, another timer looks after it. */
export const renewPreparation = (state: Call, placing: Placing): Outcome =>
  state ? nothing : { events: [], timers: [preparationTimer(placing)], reply: '{}' };

/** Nothing is set aside for it, and nothing was dialed: the request may be made again. */
export const abandonCall = (placing: Placing): Outcome => ({
  events: [],
  claims: requestClaim('release', placing),
  cancelTimers: [callTimerId(placing.callId)],
  reply: '{}',
});

/** The intent, on record before anything is dialed. Refused when preparing it took so long that it was dropped. */
export function requestCall<Reply>(
  state: Call,
  data: CallRequestedData,
  reply: Reply,
): Decision<CallEvent, Reply> | Rejection {
  if (state) return reject('contended');
  return {
    events: [{ type: 'CallRequested', data }],
    timers: [placementTimer({ callId: data.call_id, holdId: data.hold_id, commandId: null })],
    reply,
  };
}

/**
 * Given up before it is on record. The money is given back only once this is recorded: before, the placing process
 * could still record the intent, and dial what nobody pays for.
 */
export const dropCall = (state: Call, placing: Placing): Outcome =>
  state
    ? nothing
    : {
        events: [{ type: 'CallDropped', data: { call_id: placing.callId } }],
        claims: requestClaim('release', placing),
        timers: [giveBackTimer(placing)],
        reply: '{}',
      };

/** A call that others began; one that is known already stays as it is. */
export const arrive = (state: Call, data: CallArrivedData): Outcome =>
  state
    ? nothing
    : {
        events: [{ type: 'CallArrived', data }],
        timers: [longestCallTimer(data.call_id, data)],
        reply: '{}',
      };

/** The platform has dialed the number. */
export const dialed = (state: Call): Outcome =>
  state?.phase === 'requested'
    ? { events: dialedBefore(state), timers: [longestCallTimer(state.call_id, state)], reply: '{}' }
    : nothing;

/** Why a call was not dialed. */
interface NotPlaced {
  readonly reason: string;
  /** It would be, once the voice platform is there again. */
  readonly mayPassLater: boolean;
}

/** It certainly was not dialed. */
export const notPlaced = (state: Call, { reason, mayPassLater }: NotPlaced, now: Date): Outcome =>
  state?.phase === 'requested'
    ? {
        events: [
          {
            type: 'CallNotPlaced',
            data: {
              call_id: state.call_id,
              reason,
              lead_id: state.lead_id,
              may_pass_later: mayPassLater,
            },
          },
          { type: 'CallEnded', data: unreportedEnd(state, 'failed', now) },
        ],
        cancelTimers: [callTimerId(state.call_id)],
        reply: '{}',
      }
    : nothing;

/** Somebody has left. The report is what counts; when it does not come soon, why they left has to do. */
export const left = (state: Call, outcome: CallOutcome): Outcome =>
  isOpen(state)
    ? {
        events: dialedBefore(state),
        timers: [reportTimer(state.call_id, outcome)],
        cancelTimers: [unreportedTimerId(state.call_id)],
        reply: '{}',
      }
    : nothing;

/** One of several has left, or somebody who was cut off has come back: the call lasts as long as any. */
export const goesOn = (state: LiveCall): Outcome => ({
  events: [],
  timers: [remainingCallTimer(state)],
  reply: '{}',
});

/** The room is closed, without a report: the call has failed, unless somebody says why they left. */
export function unreported(state: Call): Outcome {
  if (!isOpen(state)) return nothing;
  const { events, timers = [] } = dialed(state);
  return { events, timers: [...timers, unreportedTimer(state.call_id)], reply: '{}' };
}

/** The platform's last word on a call. */
export const reported = (state: Call, report: CallReport): Outcome =>
  isOpen(state)
    ? {
        events: [...dialedBefore(state), { type: 'CallEnded', data: reportedEnd(state, report) }],
        cancelTimers: [callTimerId(state.call_id)],
        reply: '{}',
      }
    : nothing;

/** Its time has come, and nobody has said how it ended. */
export const closeOverdue = (state: Call, outcome: CallOutcome, now: Date): Outcome =>
  isOpen(state)
    ? {
        events: [
          ...dialedBefore(state),
          { type: 'CallDeadlinePassed', data: { call_id: state.call_id } },
          { type: 'CallEnded', data: unreportedEnd(state, outcome, now) },
        ],
        reply: '{}',
      }
    : nothing;

/** A recording is finished: after the call in the history, whichever is told first. */
export function recorded(state: Call, recordingUrl: string): Outcome {
  if (!isLive(state)) return nothing;
  const { call_id } = state;
  if (state.phase !== 'ended')
    return { events: [], timers: [recordingTimer(call_id, recordingUrl)], reply: '{}' };
  if (state.recording_url !== null) return nothing;
  return {
    events: [{ type: 'CallRecordingAdded', data: { call_id, recording_url: recordingUrl } }],
    reply: '{}',
  };
}

const isOpen = (state: Call): state is LiveCall => isLive(state) && state.phase !== 'ended';

/** Whatever is told of a call of ours tells that it was dialed: so the history is the same in any order of telling. */
const dialedBefore = (state: LiveCall): CallEvent[] =>
  state.phase === 'requested' ? [{ type: 'CallDialed', data: { call_id: state.call_id } }] : [];
