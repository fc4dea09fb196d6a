import type { FiredTimer, JsonObject, TimerRequest } from '@parley/event-store';
import { leaseMs } from '@parley/processing';
import type { CallOutcome } from '@parley/providers/livekit';
import type { LiveCall } from '../call.ts';

export const callTimerKind = 'call-deadline';
export const recordingTimerKind = 'call-recording';

/** Milliseconds, longer than it can take to dial a call that is on record. */
const placementMs = 30_000;
/** Seconds that a call rings before it ends as not answered. */
export const ringingTimeoutS = 60;
/** Milliseconds for the platform to report the end. */
const graceMs = 60_000;
/**
 * Milliseconds from the caller's leaving to the agent's report. It comes with the end of the room: half a minute later,
 * unless the agent ends the room itself.
 */
const reportMs = 60_000;

export const callTimerId = (id: number): string => `${callTimerKind}-${id}`;

/**
 * The one timer of a call; setting it again moves it. When it fires, a call that is not over is looked up and closed.
 */
const callTimer = (id: number, afterMs: number, payload: JsonObject = {}): TimerRequest => ({
  id: callTimerId(id),
  kind: callTimerKind,
  due: { afterMs },
  payload: { call_id: id, ...payload },
});

/** A call that is being placed, as its timer knows it before it is on record; `holdId` is null when it is free. */
export interface Placing {
  readonly callId: number;
  readonly holdId: string | null;
  /** Command of the request for the call; null when there is none. */
  readonly commandId: string | null;
}

/**
 * Timer until the call is on record, which the preparing process renews. If it fires, the hold is released and the
 * request may be made again.
 */
export const preparationTimer = ({ callId, holdId, commandId }: Placing): TimerRequest =>
  callTimer(callId, leaseMs, { hold_id: holdId, command_id: commandId });

/**
 * Timer while the call is being dialed, which begins in `waitMs`. If it fires, the platform is asked whether anybody is on
 * the telephone.
 */
export const placementTimer = ({ callId, holdId, commandId }: Placing, waitMs = 0): TimerRequest =>
  callTimer(callId, waitMs + placementMs, { hold_id: holdId, command_id: commandId });

/** Timer of a dropped call, which nobody can place any more: releases its hold. */
export const giveBackTimer = ({ callId, holdId }: Placing): TimerRequest =>
  callTimer(callId, 0, { hold_id: holdId });

type Duration = Pick<LiveCall, 'max_duration_s'>;
/** Milliseconds that a call lasts at most, from its ringing until the platform has hung up and reported. */
export const longestMs = ({ max_duration_s }: Duration): number =>
  (ringingTimeoutS + max_duration_s) * 1000 + graceMs;

/** Timer for the longest time that a call can take from now on. */
export const longestCallTimer = (id: number, call: Duration): TimerRequest => callTimer(id, longestMs(call));

type Begun = Duration & Pick<LiveCall, 'created_at'>;
/** When the call is over at the latest. */
export const latestEndOf = (call: Begun): Date => new Date(Date.parse(call.created_at) + longestMs(call));

/** Timer for that moment. */
export const remainingCallTimer = (call: Begun & Pick<LiveCall, 'call_id'>): TimerRequest => ({
  ...callTimer(call.call_id, 0),
  due: { at: latestEndOf(call).toISOString() },
});

/**
 * Timer for the report after somebody has left. If none has come when it fires, the call is closed with this outcome,
 * unless somebody is still on the telephone.
 */
export const reportTimer = (id: number, outcome: CallOutcome): TimerRequest =>
  callTimer(id, reportMs, { outcome });

export const unreportedTimerId = (id: number): string => `call-unreported-${id}`;

/**
 * Timer for a call whose room was closed without a report. It leaves time for the event that tells why a participant
 * left, which comes before or after, and moves the call's own timer.
 */
export const unreportedTimer = (id: number): TimerRequest => ({
  ...callTimer(id, 2 * reportMs),
  id: unreportedTimerId(id),
});

/** Milliseconds by which timers may be late while nothing is wrong. */
const usualDelayMs = 5_000;

/**
 * Whether a fired timer is `unreportedTimer`, and late: then the call's own timer, due a minute before it if somebody has
 * left, may be still to fire, for late timers fire in any order.
 */
export const isLateAndUnreported = ({ id, dueAt }: FiredTimer, callId: number, now: Date): boolean =>
  id === unreportedTimerId(callId) && now.getTime() - Date.parse(dueAt) > usualDelayMs;

/** Timer that holds back a recording that is finished before its call is over, so that it is told after the end. */
export const recordingTimer = (id: number, recordingUrl: string, afterMs = 5_000): TimerRequest => ({
  id: `${recordingTimerKind}-${id}`,
  kind: recordingTimerKind,
  due: { afterMs },
  payload: { call_id: id, recording_url: recordingUrl },
});

interface CallTimerPayload extends Placing {
  readonly accountId: number | null;
  readonly outcome: CallOutcome | null;
  readonly recordingUrl: string | null;
}

const outcomes: readonly CallOutcome[] = ['completed', 'no-answer', 'busy', 'failed'];
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Reads the payload of any timer here; what it does not carry is null. Throws when it names no call. */
export function readCallTimer(payload: JsonObject): CallTimerPayload {
  const { call_id: callId, account_id: accountId, outcome } = payload;
  if (typeof callId !== 'number') throw new TypeError('A timer names no call.');
  return {
    callId,
    accountId: typeof accountId === 'number' ? accountId : null,
    holdId: textOf(payload.hold_id),
    commandId: textOf(payload.command_id),
    outcome: outcomes.find((known) => known === outcome) ?? null,
    recordingUrl: textOf(payload.recording_url),
  };
}
