import type { RunEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import { v5 as uuidv5 } from 'uuid';
import type { ActionEffect } from '../actions/action.ts';
import type { StepFault } from './step-class.ts';

/** Namespace of ids that are derived: of runs from their trigger events, of effects from their steps. */
const namespace = 'b0c2b1de-2f0f-5a0e-9a6d-6f1f6a0f4f53';

/** The same trigger event of an automation is the same run. */
export const runIdOf = (automationId: number, eventId: string): string =>
  uuidv5(`${automationId}|${eventId}`, namespace);
export const effectKeyOf = (runId: string, path: string): string => uuidv5(`${runId}|${path}`, namespace);
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
  readonly startedAt: string;
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

export const run: Fold<RunState, RunEvent> = { initialState: null, evolve };

function evolve(state: RunState, event: RunEvent): RunState {
  if (event.type === 'RunStarted') return state ?? started(event.data);
  if (!state) return state;
  const next = apply(state, event);
  return { ...next, events: state.events + 1, at: later(state.at, event.data.at) };
}

/** Of two times in ISO 8601. */
export const later = (left: string, right: string): string => (right > left ? right : left);

type Started = Extract<RunEvent, { type: 'RunStarted' }>['data'];

function started({ trigger, settings, at, ...data }: Started): Run {
  return {
    runId: data.run_id,
    automationId: data.automation_id,
    version: data.version,
    definitionHash: data.definition_hash,
    trigger: {
      type: trigger.type,
      eventId: trigger.event_id,
      payload: { ref: trigger.payload_ref, bytes: trigger.payload_bytes, hash: trigger.payload_hash },
    },
    chainDepth: data.chain_depth,
    settings: {
      maxConcurrentRuns: settings.max_concurrent_runs,
      retryMaxAgeMs: settings.retry_max_age_ms,
      retryAfterDelay: settings.retry_after_delay,
      usesRepairedVersion: settings.use_repaired_version,
    },
    startedAt: at,
    status: 'RUNNING',
    phase: 'ready',
    epoch: 0,
    steps: new Map(),
    current: null,
    pause: null,
    backoffMs: 0,
    gen: 0,
    resumedAt: null,
    activeMs: 0,
    activeSince: at,
    workMs: 0,
    payloadBytes: trigger.payload_bytes,
    events: 1,
    at,
    acceptedRetry: null,
    isErased: false,
  };
}

type Later = Exclude<RunEvent, { type: 'RunStarted' }>;

function apply(state: Run, event: Later): Run {
  switch (event.type) {
    case 'StepStarted':
      return startStep(state, event.data);
    case 'StepSucceeded': {
      const { path, output_ref: ref, output_hash: hash, output_bytes: bytes, branch, ms } = event.data;
      const output = ref === null ? null : { ref, bytes, hash: hash ?? '' };
      return {
        ...withStep(state, path, { status: 'SUCCEEDED', output, branch, fault: null }),
        // Ready only until the next event, which is in the same append.
        phase: 'ready',
        current: null,
        workMs: state.workMs + ms,
        payloadBytes: state.payloadBytes + bytes,
      };
    }
    case 'StepRetryScheduled': {
      const { path, counts, after_ms: backoffMs, ms } = event.data;
      const counted = (state.steps.get(path)?.countedAttempts ?? 0) - (counts ? 0 : 1);
      return {
        ...withStep(state, path, { countedAttempts: counted }),
        phase: 'backoff',
        backoffMs,
        workMs: state.workMs + ms,
      };
    }
    case 'StepFailed': {
      const { step, path, code, class: kind, message, ms } = event.data;
      const fault = { code, class: kind, message };
      return {
        ...withStep(state, path, { id: step, status: 'FAILED', fault }),
        current: path,
        workMs: state.workMs + ms,
      };
    }
    case 'RunPaused': {
      const { path, until, gen, at } = event.data;
      return {
        ...withStep(stopClock(state, at), path, { status: 'PAUSED' }),
        status: 'PAUSED',
        phase: 'paused',
        current: path,
        pause: { until, gen },
        gen,
      };
    }
    case 'RunResumed': {
      const { path, at } = event.data;
      return {
        ...withStep(state, path, { status: 'RUNNING' }),
        status: 'RUNNING',
        phase: 'ready',
        pause: null,
        resumedAt: at,
        activeSince: later(state.at, at),
      };
    }
    case 'RunFailed':
      return { ...stopClock(state, event.data.at), status: 'FAILED', phase: 'ended', pause: null };
    case 'RunSucceeded':
      return { ...stopClock(state, event.data.at), status: 'SUCCEEDED', phase: 'ended', current: null };
    case 'RetryRequested':
      return { ...state, acceptedRetry: event.data.command_id };
    case 'RunRetried': {
      const { from_step: path, version_to, definition_hash, epoch, at } = event.data;
      return {
        ...withStep(state, path, {
          status: 'RUNNING',
          attempt: 0,
          countedAttempts: 0,
          takeover: 0,
          fault: null,
        }),
        status: 'RUNNING',
        phase: 'ready',
        current: null,
        version: version_to,
        definitionHash: definition_hash,
        epoch,
        activeSince: later(state.at, at),
      };
    }
    case 'RunPayloadsErased':
      return { ...state, isErased: true };
    default:
      // A newer process may have written what this one does not know.
      event satisfies never;
      return state;
  }
}

type StepStarted = Extract<RunEvent, { type: 'StepStarted' }>['data'];

function startStep(state: Run, data: StepStarted): Run {
  const { step: id, path, type, attempt, takeover, effect, effect_key: effectKey, at } = data;
  const before = state.steps.get(path);
  const { input_ref: ref, input_bytes: bytes, input_hash: hash } = data;
  const input = ref === null ? null : { ref, bytes, hash: hash ?? '' };
  const isNewAttempt = takeover === 0;
  return {
    ...withStep(state, path, {
      id,
      path,
      type,
      status: 'RUNNING',
      attempt,
      countedAttempts: (before?.countedAttempts ?? 0) + (isNewAttempt ? 1 : 0),
      takeover,
      effect,
      effectKey,
      startedAt: at,
      input,
      fault: null,
    }),
    phase: 'executing',
    current: path,
    payloadBytes: state.payloadBytes + (input === null || before?.input?.ref === input.ref ? 0 : input.bytes),
  };
}

const unknownStep: Omit<StepState, 'path'> = {
  id: '',
  type: '',
  status: 'RUNNING',
  attempt: 0,
  countedAttempts: 0,
  takeover: 0,
  effect: 'pure',
  effectKey: '',
  startedAt: '',
  input: null,
  output: null,
  branch: null,
  fault: null,
};

function withStep(state: Run, path: string, change: Partial<StepState>): Run {
  const steps = new Map(state.steps);
  steps.set(path, { ...(steps.get(path) ?? { ...unknownStep, path }), ...change });
  return { ...state, steps };
}

function stopClock(state: Run, at: string): Run {
  if (state.activeSince === null) return state;
  const ms = Date.parse(later(state.at, at)) - Date.parse(state.activeSince);
  return { ...state, activeMs: state.activeMs + Math.max(0, ms), activeSince: null };
}
