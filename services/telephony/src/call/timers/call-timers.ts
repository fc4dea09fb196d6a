import type { CallEvent } from '@parley/contracts';
import type { AppendRequest, Clock, Decision, EventMetadata, TimerRequest } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import { appendAtTimer, defineReactor, type Reactor, type TimerHandler } from '@parley/processing';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import type { CallOutcome } from '@parley/providers/livekit';
import { type AccountBalance, traceOf } from '@parley/service-kit';
import { callCategory, callStream, isLive, type LiveCall } from '../call.ts';
import type { CallLog } from '../call-log.ts';
import { closeOverdue, dialed, dropCall, goesOn, notPlaced, recorded } from '../decisions.ts';
import {
  isLateAndUnreported,
  latestEndOf,
  placementTimer,
  readCallTimer,
  reportTimer,
  unreportedTimer,
  unreportedTimerId,
} from './call-timer.ts';

export interface CallTimerParts {
  readonly balance: AccountBalance;
  readonly clock: Clock;
  readonly log: CallLog;
  readonly platform: VoicePlatform;
}

/** A call of which the platform cannot tell for so long counts as not dialed. */
const longestDoubtMs = 10 * 60_000;

/**
 * Timer handler: finds out what became of a call that is not over: whether it was never placed, may have been dialed,
 * or ended without a report.
 */
export const lookAtCall =
  ({ balance, clock, log, platform }: CallTimerParts): TimerHandler =>
  async (timer, { metadata }) => {
    const { callId, accountId, holdId, commandId, outcome } = readCallTimer(timer.payload);
    const { state, version } = await log.load(callId);
    const about = { callId, accountId, version, metadata };
    if (state === null) return append(about, dropCall(state, { callId, holdId, commandId }));
    if (state.phase === 'dropped' && holdId !== null && accountId !== null)
      await balance.release({ accountId, holdId, ...traceOf(metadata) });
    if (!isLive(state) || state.phase === 'ended') return undefined;
    const now = await clock.now();
    const isOnCall = () => platform.isOnCall(state.room);
    if (state.phase === 'requested')
      return append(about, perhapsDialed(state, commandId, await isOnCall(), now));
    // Timers are late, so the one that knows why somebody left may be as well: it goes first.
    if (isLateAndUnreported(timer, callId, now) && now < latestEndOf(state))
      return append(about, lookAgain(unreportedTimer(callId)));
    // Nobody has left: the call has lasted too long, whoever is on it.
    if (outcome === null) return append(about, closeOverdue(state, 'failed', now));
    const found = await isOnCall();
    if (found.kind !== 'ok' && now < latestEndOf(state)) return askAgain(about, outcome);
    // Somebody who has left may have left others, or been cut off for a moment.
    const goingOn = found.kind === 'ok' && found.value;
    return append(about, goingOn ? goesOn(state) : closeOverdue(state, outcome, now));
  };

/**
 * Looks again for whether a call that somebody has left goes on: while the platform does not answer, somebody may be
 * on the telephone, who is not hung up for that. The timer of a room that was closed without a report goes: it would
 * close the call first, and does not know the outcome.
 */
const askAgain = (about: About, outcome: CallOutcome): AppendRequest => ({
  ...append(about, lookAgain(reportTimer(about.callId, outcome))),
  cancelTimers: [unreportedTimerId(about.callId)],
});

/**
 * Decides about a call on record of which nobody knows whether it was dialed, by whether anybody is on the telephone.
 */
function perhapsDialed(
  state: LiveCall,
  commandId: string | null,
  found: ProviderResult<boolean>,
  now: Date,
): Decision<CallEvent> {
  if (found.kind === 'ok' && found.value) return dialed(state);
  const isHopeless = now.getTime() - Date.parse(state.created_at) > longestDoubtMs;
  if (found.kind !== 'ok' && !isHopeless)
    return lookAgain(placementTimer({ callId: state.call_id, holdId: state.hold_id, commandId }));
  const reason = 'The voice platform does not know the call.';
  // `mayPassLater: false`: somebody may have been called after all, so they are not called again.
  return notPlaced(state, { reason, mayPassLater: false }, now);
}

const lookAgain = (timer: TimerRequest): Decision<CallEvent> => ({ events: [], timers: [timer], reply: '' });

/** Timer handler: adds a recording that was finished before its call was over. */
export const addRecording =
  (log: CallLog): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const { callId, accountId, recordingUrl } = readCallTimer(payload);
    const { state, version } = await log.load(callId);
    const decision = recorded(state, recordingUrl ?? '');
    if (decision.events.length === 0 && !decision.timers) return undefined;
    return append({ callId, accountId, version, metadata }, decision);
  };

/**
 * Reactor: closes the room of a call that was closed without a report, or not dialed, so that nobody stays on the line
 * and no agent waits; repeated until the platform answers. Only after the record, as the end of a room would tell of a
 * dialed call.
 */
export const closeRooms = ({ log, platform }: Pick<CallTimerParts, 'log' | 'platform'>): Reactor =>
  defineReactor<CallEvent>({
    name: 'overdue-calls',
    handles: ['CallDeadlinePassed', 'CallNotPlaced'],
    laneOf: ({ data }) => String(data.call_id % roomsAtOnce),
    async react({ data }) {
      const { state } = await log.load(data.call_id);
      if (!isLive(state)) return undefined;
      const outcome = await platform.hangUp(state.room);
      if (outcome.kind === 'unavailable' || outcome.kind === 'unknown')
        throw new ServiceUnavailable(outcome.message);
      return undefined;
    },
  });

/** Rooms that are closed at once, as a platform that comes back has other work as well. */
const roomsAtOnce = 8;

interface About {
  readonly callId: number;
  readonly accountId: number | null;
  readonly version: number;
  readonly metadata: EventMetadata;
}

const append = ({ callId, accountId, version, metadata }: About, decision: Decision<CallEvent>) =>
  appendAtTimer(
    {
      streamId: callStream(callId),
      category: callCategory,
      accountId,
      expectedVersion: version,
      metadata,
    },
    decision,
  );
