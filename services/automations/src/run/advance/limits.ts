import type { Run } from '../run.ts';
import type { StepFault } from '../step-class.ts';
import type { DelayEnd } from './delay-time.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Largest payload of a trigger, as JSON text. */
export const triggerPayloadBytes = 512 * 1024;
/** Largest input or output of a step, as JSON text. */
export const payloadBytes = 256 * 1024;
/** How deep JSON from outside may be nested, as the body of any request (decisions, section 1). */
export const maxJsonDepth = 32;
/** Chain depth of the deepest run that is started. */
export const maxChainDepth = 8;
/** How long one attempt of an action may take. */
export const attemptMs = minuteMs;
/** How often one attempt may be taken over; each time, a process has died during it. */
export const maxTakeovers = 5;
/** How long the payloads of an ended run are kept. */
export const retentionMs = 30 * dayMs;
/** How long a step waits for a process that has the sealing key of its connection. */
export const sealedMs = dayMs;
/** How long a step waits for what the service that it asks lacks, as its database. */
export const lackingMs = dayMs;

const runBytes = 10 * 1024 * 1024;
const runEvents = 1_000;
const workMs = 15 * minuteMs;
/**
 * 366 days of a calendar, which are longer than 24 hours each where clocks are set back, by two hours in all at most.
 */
const delayMs = 366 * dayMs + 120 * minuteMs;
/** How old a run may become. */
export const wallMs = 400 * dayMs;

const limit = (code: string, message: string): StepFault => ({ code, class: 'wiring_error', message });

/** The limit a run has hit before its next step; undefined when there is none. */
export function limitHit(run: Pick<Run, 'events' | 'payloadBytes' | 'workMs'>): StepFault | undefined {
  if (run.events >= runEvents) return limit('LIMIT_EVENTS', `A run has at most ${runEvents} events.`);
  if (run.payloadBytes >= runBytes) return limit('LIMIT_BYTES', 'A run works on at most 10 MB.');
  if (run.workMs >= workMs) return limit('LIMIT_ACTIVE_TIME', 'A run works for at most 15 minutes.');
  return undefined;
}

/** Events that a retry appends before anything else is done: `RetryRequested` and `RunRetried`. */
const retryEvents = 2;

/**
 * Whether a retry would hit a limit before it does anything. That is for good: what counts towards these limits never
 * decreases.
 */
export const isAtLimit = (run: Run): boolean =>
  limitHit({ ...run, events: run.events + retryEvents }) !== undefined;

/**
 * The limit that a delay would hit; undefined when there is none. A window may move the end `until` beyond what was
 * `asked` for; all times are milliseconds since the epoch.
 */
export function delayLimitHit(
  { startedAt }: Pick<Run, 'startedAt'>,
  now: number,
  { asked, until }: DelayEnd,
): StepFault | undefined {
  if (asked - now > delayMs) return limit('LIMIT_DELAY', 'A delay is at most 366 days.');
  return wallHit({ startedAt }, until);
}

/** The limit on a run's age, where the run would exceed it at that moment (milliseconds since the epoch). */
export const wallHit = ({ startedAt }: Pick<Run, 'startedAt'>, at: number): StepFault | undefined =>
  at - Date.parse(startedAt) > wallMs ? limit('LIMIT_WALL', 'A run takes at most 400 days.') : undefined;

/** The fault of a step whose `input` or `output` is larger than `payloadBytes`. */
export const tooLarge = (what: string): StepFault =>
  limit('LIMIT_STEP_BYTES', `The ${what} of a step is at most 256 KB.`);
