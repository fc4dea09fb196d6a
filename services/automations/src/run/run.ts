import { parse, v5 as uuidv5 } from 'uuid';
import type { ActionEffect } from '../actions/action.ts';
import type { StepFault } from './step-class.ts';

/** Namespace of ids that are derived: of runs from their trigger events, of effects from their steps. */
const namespace = parse('b0c2b1de-2f0f-5a0e-9a6d-6f1f6a0f4f53');
/** From bytes; from texts it takes several times as long, and every step of every run has one. */
const derivedId = (text: string): string => uuidv5(Buffer.from(text), namespace);

/** The same trigger event of an automation is the same run. */
export const runIdOf = (automationId: number, eventId: string): string =>
  derivedId(`${automationId}|${eventId}`);
export const effectKeyOf = (runId: string, path: string): string => derivedId(`${runId}|${path}`);
/** Anything else is the id of no run. */
export const isRunId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
export const runCategory = 'run';
export const runStream = (runId: string): string => `${runCategory}-${runId}`;

/** Where a payload is kept, and how large it is. */
export interface PayloadRef {
  readonly ref: string;
  readonly bytes: number;
  /** SHA-256 of its JSON text. */
  readonly hash: string;
}

export interface StepState {
  readonly id: string;
  readonly path: string;
  readonly type: string;
  readonly status: 'RUNNING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED';
  readonly attempt: number;
  /** Attempts that used up one of those allowed. */
  readonly countedAttempts: number;
  readonly takeover: number;
  readonly effect: ActionEffect;
  readonly effectKey: string;
  /** Whether an attempt may have been effective without an answer that says so. */
  readonly isUncertain: boolean;
  /** Why it was put off last, and since when for that and nothing else, ISO 8601; null before the first time. */
  readonly putOff: { readonly code: string; readonly since: string } | null;
  /** How many retries came after nothing but definite failures: each may ask anew, as if it had never asked. */
  readonly freshStarts: number;
  /** Of the newest attempt. */
  readonly startedAt: string;
  /** When its input was worked out: further attempts have the same. */
  readonly resolvedAt: string;
  readonly input: PayloadRef | null;
  readonly output: PayloadRef | null;
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

export interface Run extends RunInfo {
  readonly status: 'RUNNING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED';
  readonly phase: RunPhase;
  /** How often it was retried. */
  readonly epoch: number;
  /** By path, in the order of their first start. */
  readonly steps: ReadonlyMap<string, StepState>;
  /** The step that is worked on, waits or failed. */
  readonly current: string | null;
  readonly pause: { readonly until: string; readonly gen: number } | null;
  /** How long the present backoff takes. */
  readonly backoffMs: number;
  /** Delays so far. */
  readonly gen: number;
  readonly resumedAt: string | null;
  /** Active time of the intervals that are over. */
  readonly activeMs: number;
  readonly activeSince: string | null;
  /** Time spent on attempts. */
  readonly workMs: number;
  readonly payloadBytes: number;
  readonly events: number;
  /** Of the last event that has one. */
  readonly at: string;
  readonly acceptedRetry: string | null;
  readonly isErased: boolean;
}

/** Null before the first event. */
export type RunState = Run | null;

/** Of two times in ISO 8601. */
export const later = (left: string, right: string): string => (right > left ? right : left);
