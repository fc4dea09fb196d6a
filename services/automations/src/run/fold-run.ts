import type { RunEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import { startedStep, withStep } from './fold-step.ts';
import { later, type Run, type RunState } from './run.ts';

export const run: Fold<RunState, RunEvent> = { initialState: null, evolve };

function evolve(state: RunState, event: RunEvent): RunState {
  if (event.type === 'RunStarted') return state ?? started(event.data);
  if (!state) return state;
  const next = apply(state, event);
  return { ...next, events: countedWith(state, event), at: later(state.at, event.data.at) };
}

/**
 * The number of events that counts towards the limit. Waiting at a rate limit is free: neither this event nor the start
 * of its attempt counts, hence one less.
 */
const countedWith = ({ events }: Run, event: Later): number =>
  event.type === 'StepRetryScheduled' && !event.data.counts ? events - 1 : events + 1;

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
      return startedStep(state, event.data);
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
      const { path, counts, code, after_ms: backoffMs, ms, at: since } = event.data;
      const { countedAttempts = 0, putOff: before } = state.steps.get(path) ?? {};
      const countedNow = countedAttempts - (counts ? 0 : 1);
      const putOff = before?.code === code ? before : { code, since };
      return {
        ...withStep(state, path, { countedAttempts: countedNow, putOff, isUncertain: true }),
        phase: 'backoff',
        backoffMs,
        workMs: state.workMs + (counts ? ms : 0),
      };
    }
    case 'StepFailed': {
      const { step, path, code, class: kind, message, ms, definite } = event.data;
      const isUncertain = state.steps.get(path)?.isUncertain === true || !definite;
      const fault = { code, class: kind, message };
      return {
        ...withStep(state, path, { id: step, status: 'FAILED', fault, isUncertain }),
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
      const { from_step: path, version_to, definition_hash, epoch, is_fresh_start, at } = event.data;
      const { freshStarts = 0 } = state.steps.get(path) ?? {};
      return {
        ...withStep(state, path, {
          status: 'RUNNING',
          attempt: 0,
          countedAttempts: 0,
          takeover: 0,
          fault: null,
          putOff: null,
          freshStarts: freshStarts + (is_fresh_start === true ? 1 : 0),
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
      // An event of a newer release, which this one does not know, changes nothing.
      event satisfies never;
      return state;
  }
}

function stopClock(state: Run, at: string): Run {
  if (state.activeSince === null) return state;
  const ms = Date.parse(later(state.at, at)) - Date.parse(state.activeSince);
  return { ...state, activeMs: state.activeMs + Math.max(0, ms), activeSince: null };
}
