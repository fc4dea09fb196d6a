import { parse, v5 as uuidv5 } from 'uuid';
import type { ActionEffect } from '../actions/action.ts';
import type { StepFault } from './step-class.ts';

/** Namespace of derived ids: of runs from their trigger events, of effect keys from steps. */
const namespace = parse('b0c2b1de-2f0f-5a0e-9a6d-6f1f6a0f4f53');
/**
 * UUIDv5 of the text. Made from bytes: from a text it takes several times as long, and every step of every run needs
 * one.
 */
const derivedId = (text: string): string => uuidv5(Buffer.from(text), namespace);

/** Id of the run that a trigger event starts: the same event of the same automation is the same run. */
export const runIdOf = (automationId: number, eventId: string): string =>
  derivedId(`${automationId}|${eventId}`);
/** With what the ids of trigger events begin that nobody told of: a run with a sample was asked for. */
export const trialPrefix = 'test:';
/** Effect key of a step of a run, by the step's path. */
export const effectKeyOf = (runId: string, path: string): string => derivedId(`${runId}|${path}`);
/** Whether the text is a UUID; anything else is the id of no run. */
export const isRunId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
export const runCategory = 'run';
export const runStream = (runId: string): string => `${runCategory}-${runId}`;

/** Where a payload is kept, and how large its JSON text is. */
export interface PayloadRef {
  readonly ref: string;
  readonly bytes: number;
  /** SHA-256 of its JSON text. */
  readonly hash: string;
}

/** A step of a run as far as it has come; times are ISO 8601. */
export interface StepState {
  readonly id: string;
  readonly path: string;
  readonly type: string;
  readonly status: 'RUNNING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED';
  /** Number of the newest attempt since the start or the last retry, from 1; 0 right after a retry. */
  readonly attempt: number;
  /** Attempts that used up one of those allowed: waiting at a limit does not. */
  readonly countedAttempts: number;
  /** How often the newest attempt was taken over. */
  readonly takeover: number;
  readonly effect: ActionEffect;
  readonly effectKey: string;
  /** Whether an attempt may have had its effect, though no answer says so. */
  readonly isUncertain: boolean;
  /**
   * Code of the failure after which it was last tried again, and since when it has failed with no other; null before
   * that.
   */
  readonly putOff: { readonly code: string; readonly since: string } | null;
  /**
   * How many retries came after nothing but definite failures: after each, it asks outside as if it had never asked.
   */
  readonly freshStarts: number;
  /** Start of the newest attempt or takeover. */
  readonly startedAt: string;
  /** When its input was worked out; later attempts have the same input. */
  readonly resolvedAt: string;
  readonly input: PayloadRef | null;
  readonly output: PayloadRef | null;
  /** Id of the branch that was taken; null where none was, and for other steps. */
  readonly branch: string | null;
  readonly fault: StepFault | null;
}

/**
 * What a run that is under way does.
 * - `ready`: it waits for a place to run
 * - `executing`: a process works on its step
 * - `backoff`: its step is tried again when a timer is due
 * - `paused`: it waits at a delay
 * - `ended`: nothing
 */
export type RunPhase = 'ready' | 'executing' | 'backoff' | 'paused' | 'ended';

interface RunInfo {
  readonly runId: string;
  readonly automationId: number;
  readonly version: number;
  readonly definitionHash: string;
  readonly trigger: { readonly type: string; readonly eventId: string; readonly payload: PayloadRef };
  readonly chainDepth: number;
  readonly settings: {
    readonly maxConcurrentRuns: number;
    readonly retryMaxAgeMs: number;
    readonly retryAfterDelay: 'allow' | 'refuse';
    readonly usesRepairedVersion: boolean;
  };
  readonly startedAt: string;
}

/** A run as its stream tells it; times are ISO 8601. */
export interface Run extends RunInfo {
  readonly status: 'RUNNING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED';
  readonly phase: RunPhase;
  /** How often the run was retried. */
  readonly epoch: number;
  /** Steps by path, in the order of their first start. */
  readonly steps: ReadonlyMap<string, StepState>;
  /** Path of the step that is worked on, waits or has failed; null between steps and after success. */
  readonly current: string | null;
  /** The delay that it waits at: when that is over, and its number (`gen`). */
  readonly pause: { readonly until: string; readonly gen: number } | null;
  /** How long the present backoff takes, in milliseconds. */
  readonly backoffMs: number;
  /** Number of the newest delay, counted from 1; 0 before the first. */
  readonly gen: number;
  /** When its last delay was over; null before that. */
  readonly resumedAt: string | null;
  /** Active time, in milliseconds, without the interval since `activeSince`. */
  readonly activeMs: number;
  /** Null while it is paused and once it has ended. */
  readonly activeSince: string | null;
  /** Time spent on attempts, in milliseconds. */
  readonly workMs: number;
  /** Size of all its payloads so far. */
  readonly payloadBytes: number;
  /** How many events count towards its limit. */
  readonly events: number;
  /** Time of the last event that has one. */
  readonly at: string;
  /** Command id of the retry that was accepted last; null when there is none. */
  readonly acceptedRetry: string | null;
  readonly isErased: boolean;
}

/** Null before the first event. */
export type RunState = Run | null;

/** The later one of two times in ISO 8601. */
export const later = (left: string, right: string): string => (right > left ? right : left);
