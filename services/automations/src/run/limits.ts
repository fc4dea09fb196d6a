import type { DelayEnd } from './delay-time.ts';
import type { Run } from './run.ts';
import type { StepFault } from './step-class.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const triggerPayloadBytes = 512 * 1024;
export const payloadBytes = 256 * 1024;
/** Of what comes from outside, as of the body of any request (decisions, section 1). */
export const maxJsonDepth = 32;
export const maxChainDepth = 8;
export const attemptMs = minuteMs;
export const maxTakeovers = 5;
export const retentionMs = 30 * dayMs;
/** How long a step waits for somebody who has the key of its connection. */
export const sealedMs = dayMs;

const runBytes = 10 * 1024 * 1024;
const runEvents = 1_000;
const workMs = 15 * minuteMs;
/** In days of a calendar: where clocks are set back, one is longer, by two hours at most. */
const delayMs = 366 * dayMs + 120 * minuteMs;
const wallMs = 400 * dayMs;

const limit = (code: string, message: string): StepFault => ({ code, class: 'wiring_error', message });

/** The limit a run has hit before its next step; undefined when there is none. */
export function limitHit(run: Pick<Run, 'events' | 'payloadBytes' | 'workMs'>): StepFault | undefined {
  if (run.events >= runEvents) return limit('LIMIT_EVENTS', `A run has at most ${runEvents} events.`);
  if (run.payloadBytes >= runBytes) return limit('LIMIT_BYTES', 'A run works on at most 10 MB.');
  if (run.workMs >= workMs) return limit('LIMIT_ACTIVE_TIME', 'A run works for at most 15 minutes.');
  return undefined;
}

/** A retry puts these on record before anything is done: that it was asked for, and that the run goes on. */
const retryEvents = 2;

/** Whether a retry would fail before it does anything: what counts towards these limits is never less. */
export const isAtLimit = (run: Run): boolean =>
  limitHit({ ...run, events: run.events + retryEvents }) !== undefined;

/**
 * The limit that waiting until then would hit. A window may move the end `until` beyond what was `asked` for; all are
 * milliseconds since the epoch.
 */
export function delayLimitHit(
  { startedAt }: Pick<Run, 'startedAt'>,
  now: number,
  { asked, until }: DelayEnd,
): StepFault | undefined {
  if (asked - now > delayMs) return limit('LIMIT_DELAY', 'A delay is at most 366 days.');
  return wallHit({ startedAt }, until);
}

/** Where it would still not be over at that moment, in milliseconds since the epoch. */
export const wallHit = ({ startedAt }: Pick<Run, 'startedAt'>, at: number): StepFault | undefined =>
  at - Date.parse(startedAt) > wallMs ? limit('LIMIT_WALL', 'A run takes at most 400 days.') : undefined;

export const tooLarge = (what: string): StepFault =>
  limit('LIMIT_STEP_BYTES', `The ${what} of a step is at most 256 KB.`);
