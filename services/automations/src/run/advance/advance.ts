import type {
  ActionStep,
  BranchStep,
  CompiledDefinition,
  DelayStep,
  Scope,
} from '../../definition/compiled.ts';
import type { JsonValue } from '../../json.ts';
import type { Progress } from '../progress.ts';
import { runRoot } from '../run-root.ts';
import type { Resolved } from '../step-class.ts';
import { type DelayEnd, delayEnd } from './delay-time.ts';
import { delayLimitHit, limitHit, payloadBytes, tooLarge } from './limits.ts';
import { nextStep } from './walk.ts';

/** An action that is to be carried out once the events of the decision are appended. */
export interface Work {
  readonly step: ActionStep;
  readonly input: JsonValue;
}

/**
 * Decides on from a ready run, through everything that needs no work outside. Returns the next action; undefined when
 * the run comes to a delay or ends. Pure: the events stand in `progress`.
 */
export function advance(progress: Progress, definition: CompiledDefinition): Work | undefined {
  while (progress.run.phase === 'ready') {
    const work = takeStep(progress, definition);
    if (work) return work;
  }
  return undefined;
}

/** Decides one step of a ready run. Returns the action to be carried out, if that is what the step is. */
export function takeStep(progress: Progress, definition: CompiledDefinition): Work | undefined {
  const step = nextStep(definition, progress.run.steps);
  if (!step) return succeedRun(progress);
  const limit = limitHit(progress.run);
  if (limit) return progress.fail(step, limit);
  switch (step.kind) {
    case 'action':
      return startAction(progress, step, definition);
    case 'delay':
      return startDelay(progress, step, definition);
    case 'branch':
      return takeBranch(progress, step, definition);
    case 'stop':
      progress.start(step);
      return progress.succeed(step);
    default:
      return step satisfies never;
  }
}

/** No step is left: the run succeeds. */
export function succeedRun(progress: Progress): undefined {
  const steps = [...progress.run.steps.values()].filter(({ status }) => status === 'SUCCEEDED').length;
  progress.add({ type: 'RunSucceeded', data: { steps, at: progress.at } });
}

function startAction(progress: Progress, step: ActionStep, definition: CompiledDefinition): Work | undefined {
  const resolved = step.resolve(scopeOf(progress, definition));
  if (!resolved.ok) {
    progress.start(step, step.action.effect);
    progress.fail(step, resolved);
    return undefined;
  }
  const input = progress.keep(resolved.value);
  progress.start(step, step.action.effect, input);
  if (input.bytes <= payloadBytes) return { step, input: resolved.value };
  progress.fail(step, tooLarge('input'));
  return undefined;
}

function startDelay(progress: Progress, step: DelayStep, definition: CompiledDefinition): undefined {
  progress.start(step);
  const end = endOf(progress, step, definition);
  if (!end.ok) return progress.fail(step, end);
  const now = Date.parse(progress.at);
  if (end.value.until <= now) return progress.succeed(step);
  const limit = delayLimitHit(progress.run, now, end.value);
  if (limit) return progress.fail(step, limit);
  const until = new Date(end.value.until).toISOString();
  const { id, path } = step;
  const gen = progress.run.gen + 1;
  progress.add({ type: 'RunPaused', data: { step: id, path, until, gen, at: progress.at } });
}

function endOf(progress: Progress, step: DelayStep, definition: CompiledDefinition): Resolved<DelayEnd> {
  const spec = step.resolve(scopeOf(progress, definition));
  return spec.ok ? delayEnd(Date.parse(progress.at), spec.value, definition.timezone, step.window) : spec;
}

function takeBranch(progress: Progress, step: BranchStep, definition: CompiledDefinition): undefined {
  progress.start(step);
  const scope = scopeOf(progress, definition);
  for (const { id, when } of step.branches) {
    const holds = when(scope);
    if (!holds.ok) return progress.fail(step, holds);
    if (holds.value) return progress.succeed(step, { branch: id, output: { branch: id } });
  }
  progress.succeed(step, { branch: null, output: { branch: null } });
}

function scopeOf({ memory, run, at, effort }: Progress, { vars }: CompiledDefinition): Scope {
  const steps: Record<string, { readonly output: JsonValue }> = Object.create(null);
  for (const [id, output] of memory.outputs) steps[id] = { output };
  return { trigger: memory.trigger, steps, vars, run: runRoot(run), now: at, effort };
}
