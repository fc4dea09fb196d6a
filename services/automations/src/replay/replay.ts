import type { replayRun } from '@parley/contracts';
import type { z } from 'zod';
import type { ActionOutcome } from '../actions/action.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import { Effort } from '../expression/effort.ts';
import type { JsonValue } from '../json.ts';
import { takeStep, type Work } from '../run/advance/advance.ts';
import { resume } from '../run/advance/resume.ts';
import { settle } from '../run/advance/settle.ts';
import { nextStep } from '../run/advance/walk.ts';
import { run } from '../run/fold-run.ts';
import { type Circumstances, Progress, type RunMemory } from '../run/progress.ts';
import type { Run, RunState, StepState } from '../run/run.ts';

type Report = z.output<typeof replayRun.output>;
type ReportedStep = NonNullable<Report['steps'][number]['recorded']>;

/** A run on record, with all its payloads. */
export interface RecordedRun {
  readonly run: Run;
  readonly memory: RunMemory;
  /** By the step's path. */
  readonly inputs: ReadonlyMap<string, JsonValue>;
}

interface Replayed {
  readonly run: Run;
  readonly inputs: ReadonlyMap<string, JsonValue>;
  readonly dryRuns: ReadonlySet<string>;
}

/** Goes through a recorded run again by a definition, and compares. Pure: nothing is asked or done outside. */
export function replay(recorded: RecordedRun, definition: CompiledDefinition): Report {
  const replayed = goThrough(recorded, definition);
  const paths = new Set([...replayed.run.steps.keys(), ...recorded.run.steps.keys()]);
  return {
    run_id: recorded.run.runId,
    automation_id: recorded.run.automationId,
    version: definition.version,
    recorded_status: recorded.run.status,
    replayed_status: replayed.run.status,
    steps: [...paths].map((path) => {
      const before = shown(recorded, path);
      const after = shown(replayed, path);
      const source = replayed.dryRuns.has(path) ? 'dry_run' : 'recorded';
      const output = replayed.run.steps.get(path)?.output ? source : null;
      return { path, recorded: before, replayed: after, output, differs: differences(before, after) };
    }),
  };
}

function goThrough(recorded: RecordedRun, definition: CompiledDefinition): Replayed {
  const inputs = new Map<string, JsonValue>();
  const dryRuns = new Set<string>();
  const clock = { now: Date.parse(recorded.run.startedAt), newRef: () => '', chance: () => 0 };
  const start = beginning(recorded.run, definition);
  const progress = new Progress(start, { trigger: recorded.memory.trigger, outputs: new Map() }, clock);
  while (progress.run.phase === 'ready') {
    // A step sees the time at which its input was worked out in the recorded run.
    const path = nextStep(definition, progress.run.steps)?.path;
    const then = path === undefined ? undefined : recorded.run.steps.get(path);
    moveTo(clock, then?.resolvedAt);
    progress.effort = effortOf(then, recorded.run.version === definition.version);
    const work = takeStep(progress, definition);
    if (work) {
      const { path: current } = work.step;
      inputs.set(current, work.input);
      // A step of the recorded run without an outcome has none in the replay.
      if (recorded.run.phase !== 'ended' && recorded.run.current === current) break;
      const outcome = recordedOutcome(work, recorded);
      if (!outcome) dryRuns.add(current);
      settle(progress, work.step, outcome ?? { ok: true, output: work.step.action.dryRun(work.input) }, 0);
    } else if (progress.run.pause) {
      moveTo(clock, progress.run.pause.until);
      // Where the recorded run still waits, its replay waits, too.
      if (recorded.run.phase === 'paused' && recorded.run.current === progress.run.current) break;
      resume(progress, progress.run.pause.gen);
    }
  }
  return { run: progress.run, inputs, dryRuns };
}

/**
 * How much a step's expressions may look at. On the same version, what they looked at then was not too much, unless the
 * record says so: the limit may be newer than the run, or may have been shared with other steps.
 */
function effortOf(then: StepState | undefined, isSameVersion: boolean): Effort {
  if (!then || !isSameVersion) return new Effort();
  return new Effort(then.fault?.code === 'LIMIT_EFFORT' ? 0 : Number.POSITIVE_INFINITY);
}

/**
 * The recorded outcome of the action, if it applies: a success always, a failure where the input is the same. Undefined
 * where a dry run has to stand in.
 */
function recordedOutcome({ step, input }: Work, recorded: RecordedRun): ActionOutcome | undefined {
  const state = recorded.run.steps.get(step.path);
  if (state?.status === 'SUCCEEDED') {
    const output = recorded.memory.outputs.get(state.id);
    return output === undefined ? undefined : { ok: true, output };
  }
  const isSameInput = JSON.stringify(recorded.inputs.get(step.path)) === JSON.stringify(input);
  return state?.fault && isSameInput
    ? { ok: false, transient: false, definite: true, ...state.fault }
    : undefined;
}

function moveTo(clock: { now: Circumstances['now'] }, at: string | undefined): void {
  if (at) clock.now = Math.max(clock.now, Date.parse(at));
}

/** The run as it was when it had just started, but on this definition. */
function beginning(recorded: Run, { version, hash }: CompiledDefinition): Run {
  const { trigger, settings } = recorded;
  const state: RunState = run.evolve(null, {
    type: 'RunStarted',
    data: {
      run_id: recorded.runId,
      automation_id: recorded.automationId,
      version,
      definition_hash: hash,
      trigger: {
        type: trigger.type,
        event_id: trigger.eventId,
        payload_ref: trigger.payload.ref,
        payload_hash: trigger.payload.hash,
        payload_bytes: trigger.payload.bytes,
      },
      chain_depth: recorded.chainDepth,
      settings: {
        max_concurrent_runs: settings.maxConcurrentRuns,
        retry_max_age_ms: settings.retryMaxAgeMs,
        retry_after_delay: settings.retryAfterDelay,
        use_repaired_version: settings.usesRepairedVersion,
      },
      at: recorded.startedAt,
    },
  });
  if (!state) throw new Error('A start makes a run.');
  return state;
}

function shown(
  { run: { steps }, inputs }: Pick<Replayed, 'run' | 'inputs'>,
  path: string,
): ReportedStep | null {
  const step = steps.get(path);
  return step ? { ...plain(step), input: mutable(inputs.get(path) ?? null) } : null;
}

const plain = ({ status, branch, fault }: StepState) => ({
  status,
  branch,
  error: fault && `[${fault.code}] ${fault.message}`,
});

/** The type of the contract is mutable, though nobody changes the value. */
const mutable = (value: JsonValue): ReportedStep['input'] => value as ReportedStep['input'];

function differences(
  before: ReportedStep | null,
  after: ReportedStep | null,
): Report['steps'][number]['differs'] {
  if (!before) return ['added'];
  if (!after) return ['missing'];
  const fields = ['status', 'input', 'branch', 'error'] as const;
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}
