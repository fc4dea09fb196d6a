import { type CallEvent, type Rejection, reject } from '@parley/contracts';
import type { ClaimChange, ClaimTaken, Decision } from '@parley/event-store';
import type { CallOutcome, CallReport } from '@parley/providers/livekit';
import { type Call, callStream, isLive, type LiveCall } from './call.ts';
import { reportedEnd, unreportedEnd } from './callback/report.ts';
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
} from './timers/call-timer.ts';

type Outcome = Decision<CallEvent>;
export type CallRequestedData = Extract<CallEvent, { type: 'CallRequested' }>['data'];
export type CallArrivedData = Extract<CallEvent, { type: 'CallArrived' }>['data'];

export const nothing: Outcome = { events: [], reply: '{}' };

/**
 * Ties a request to its call: a request that comes again while the first is being placed is not paid for twice.
 * Released when the call is not placed.
 */
const requestClaim = (op: ClaimChange['op'], { callId, commandId }: Placing): readonly ClaimChange[] =>
  commandId === null ? [] : [{ op, scope: 'call-of-request', key: commandId, owner: callStream(callId) }];

/**
 * Prepares a call before its price is reserved. Refused while the same request is being carried out, and after that.
 */
export const prepareCall = (
  placing: Placing,
): Outcome & { readonly onClaimTaken: (taken: ClaimTaken) => Rejection } => ({
  events: [],
  claims: requestClaim('take', placing),
  timers: [preparationTimer(placing)],
  onClaimTaken: () => reject('idempotency_in_progress'),
  reply: '{}',
});

/** Postpones the timer while the call is being prepared; once it is on record, another timer looks after it. */
export const renewPreparation = (state: Call, placing: Placing): Outcome =>
  state ? nothing : { events: [], timers: [preparationTimer(placing)], reply: '{}' };

/** Undoes the preparation: nothing is reserved, nothing was dialed, and the request may be made again. */
export const abandonCall = (placing: Placing): Outcome => ({
  events: [],
  claims: requestClaim('release', placing),
  cancelTimers: [callTimerId(placing.callId)],
  reply: '{}',
});

/** Records the call before it is dialed. Refused when the preparation took so long that the call was dropped. */
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
 * Gives a call up before it is on record. Its hold is released only after this is recorded: before, the placing process
 * might still record the call and dial it unpaid.
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

/** Postpones the look at what became of a call that is dialed only in `waitMs`. */
export const awaitTurn = (state: Call, waitMs: number): Outcome =>
  state?.phase === 'requested'
    ? {
        events: [],
        timers: [placementTimer({ callId: state.call_id, holdId: state.hold_id, commandId: null }, waitMs)],
        reply: '{}',
      }
    : nothing;

/** Records a call that others began; no event when it is known already. */
export const arrive = (state: Call, data: CallArrivedData): Outcome =>
  state
    ? nothing
    : {
        events: [{ type: 'CallArrived', data }],
        timers: [longestCallTimer(data.call_id, data)],
        reply: '{}',
      };

/** Ends a call that came in and that nobody could pay a minute of, before anybody speaks in it. */
export const turnAway = (state: Call, now: Date): Outcome =>
  state?.phase === 'arrived'
    ? {
        events: [
          { type: 'CallEnded', data: unreportedEnd(state, 'failed', now) },
          {
            type: 'CallNotCharged',
            data: { call_id: state.call_id, amount_micros: state.price_per_minute_micros },
          },
        ],
        cancelTimers: [callTimerId(state.call_id)],
        reply: '{}',
      }
    : nothing;

/** Records that the platform has dialed. */
export const dialed = (state: Call): Outcome =>
  state?.phase === 'requested'
    ? { events: dialedBefore(state), timers: [longestCallTimer(state.call_id, state)], reply: '{}' }
    : nothing;

/** Why a call was not dialed. */
interface NotPlaced {
  readonly reason: string;
  /** Whether dialing might work once the voice platform is available again. */
  readonly mayPassLater: boolean;
}

/** Ends a call that was not dialed, or counts as such because nobody can tell. */
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

/** Notes that somebody has left. The report decides about the end; if none comes soon, `outcome` does. */
export const left = (state: Call, outcome: CallOutcome): Outcome =>
  isOpen(state)
    ? {
        events: dialedBefore(state),
        timers: [reportTimer(state.call_id, outcome)],
        cancelTimers: [unreportedTimerId(state.call_id)],
        reply: '{}',
      }
    : nothing;

/** Lets the call go on, as one of several has left, or somebody who was cut off has come back. */
export const goesOn = (state: LiveCall): Outcome => ({
  events: [],
  timers: [remainingCallTimer(state)],
  reply: '{}',
});

/** The room was closed without a report: the call has failed, unless an event still tells why a participant left. */
export function unreported(state: Call): Outcome {
  if (!isOpen(state)) return nothing;
  const { events, timers = [] } = dialed(state);
  return { events, timers: [...timers, unreportedTimer(state.call_id)], reply: '{}' };
}

/** Ends the call with the agent's report. */
export const reported = (state: Call, report: CallReport): Outcome =>
  isOpen(state)
    ? {
        events: [...dialedBefore(state), { type: 'CallEnded', data: reportedEnd(state, report) }],
        cancelTimers: [callTimerId(state.call_id)],
        reply: '{}',
      }
    : nothing;

/** Closes a call whose time is over and whose end nobody has reported. */
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

/** Adds a finished recording, after the end of the call: one that comes before is held back by a timer. */
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

/** Any event about a call of ours implies that it was dialed: so the history is the same in any order of events. */
const dialedBefore = (state: LiveCall): CallEvent[] =>
  state.phase === 'requested' ? [{ type: 'CallDialed', data: { call_id: state.call_id } }] : [];
