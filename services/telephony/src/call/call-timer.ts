import type { FiredTimer, JsonObject, TimerRequest } from '@parley/event-store';
import { leaseMs } from '@parley/processing';
import type { CallOutcome } from '@parley/providers/livekit';
import type { LiveCall } from './call.ts';

export const callTimerKind = 'call-deadline';
export const recordingTimerKind = 'call-recording';

/** Longer than anything between a call's being on record and its being dialed. */
const placementMs = 30_000;
export const ringingTimeoutS = 60;
/** For the platform's last words. */
const graceMs = 60_000;
/** Between the caller's leaving and the report, which waits for the end of the room: half a minute, unless the agent ends it. */
const reportMs = 60_000;

export const callTimerId = (id: number): string => `${callTimerKind}-${id}`;

/** A call's timer: setting it anew moves it. What is not over when it comes is looked at, and closed. */
const callTimer = (id: number, afterMs: number, payload: JsonObject = {}): TimerRequest => ({
  id: callTimerId(id),
  kind: callTimerKind,
  due: { afterMs },
  payload: { call_id: id, ...payload },
});

/** A call that is being placed, and what is known of it before it is on record. */
export interface Placing {
  readonly callId: number;
  readonly holdId: string | null;
  /** Of the request for it. */
  readonly commandId: string | null;
}

/**
 * Until a call is on record; the process that prepares it renews it. If it fires, the reservation is given back and
 * the request may be made again.
 */
export const preparationTimer = ({ callId, holdId, commandId }: Placing): TimerRequest =>
  callTimer(callId, leaseMs, { hold_id: holdId, command_id: commandId });

/** While a call is being placed; the reservation is given back when it is not. */
export const placementTimer = ({ callId, holdId, commandId }: Placing): TimerRequest =>
  callTimer(callId, placementMs, { hold_id: holdId, command_id: commandId });

/** Nobody can place it any more: its reservation is to be given back. */
export const giveBackTimer = ({ callId, holdId }: Placing): TimerRequest =>
  callTimer(callId, 0, { hold_id: holdId });

type Duration = Pick<LiveCall, 'max_duration_s'>;
/** From its ringing to its being hung up. */
export const longestMs = ({ max_duration_s }: Duration): number =>
  (ringingTimeoutS + max_duration_s) * 1000 + graceMs;

/** The longest that a call can take once it rings. */
export const longestCallTimer = (id: number, call: Duration): TimerRequest => callTimer(id, longestMs(call));

type Begun = Duration & Pick<LiveCall, 'created_at'>;
/** When a call is over at the latest. */
export const latestEndOf = (call: Begun): Date => new Date(Date.parse(call.created_at) + longestMs(call));

/** What is left of that. */
export const remainingCallTimer = (call: Begun & Pick<LiveCall, 'call_id'>): TimerRequest => ({
  ...callTimer(call.call_id, 0),
  due: { at: latestEndOf(call).toISOString() },
});

/** Somebody has left: the report is on its way, or never comes, unless somebody else is there. */
export const reportTimer = (id: number, outcome: CallOutcome): TimerRequest =>
  callTimer(id, reportMs, { outcome });

export const unreportedTimerId = (id: number): string => `call-unreported-${id}`;

/**
 * The room was closed without a report. The reason of a participant who left, told already or still to come, is
 * waited for first.
 */
export const unreportedTimer = (id: number): TimerRequest => ({
  ...callTimer(id, 2 * reportMs),
  id: unreportedTimerId(id),
});

/** Whether the reason that it waits for was due before it, and may fire after it: timers that are late have no order. */
export const isLateAndUnreported = ({ id, dueAt }: FiredTimer, callId: number, now: Date): boolean =>
  id === unreportedTimerId(callId) && now.getTime() - Date.parse(dueAt) > reportMs;

/** A recording is kept until its call is over, so that it is always told after the call. */
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
