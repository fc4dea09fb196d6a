import type { CompiledDefinition, CompiledStep, Scope } from '../definition/compiled.ts';
import { Effort } from '../expression/effort.ts';
import type { JsonValue } from '../json.ts';
import { delayEnd } from '../run/advance/delay-time.ts';
import { delayLimitHit, limitHit, payloadBytes, tooLarge } from '../run/advance/limits.ts';
import { runRoot } from '../run/run-root.ts';
import type { StepFault } from '../run/step-class.ts';

/** A step of a dry run; `error` is null when it succeeded. */
export interface DryStep {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly input: JsonValue;
  readonly output: JsonValue;
  readonly error: string | null;
}

/**
 * What a run would do with this event, without doing it: actions are replaced by stand-ins, and delays do not wait.
 * Yields step by step, so that others have their turn in between: each step may look at as much as it may in a run.
 */
export function* dryRun(
  definition: CompiledDefinition,
  trigger: JsonValue,
  now: string,
): Generator<DryStep, void> {
  const outputs: Record<string, { readonly output: JsonValue }> = Object.create(null);
  const { automationId, timezone, vars, version } = definition;
  const { type } = definition.trigger.definition;
  const about = { runId: 'dry-run', automationId, version, startedAt: now, chainDepth: 0, trigger: { type } };
  const run = runRoot(about);
  let effort = new Effort();
  let worksOn = bytesOf(trigger);
  /** When the next step would begin in a run, ISO 8601. */
  let at = now;
  const scope = (): Scope => ({ trigger, steps: outputs, vars, run, now: at, effort });

  /** Goes through a list of steps; returns whether the run goes on after them. */
  function* walk(list: readonly CompiledStep[]): Generator<DryStep, boolean> {
    for (const step of list) if (!(yield* take(step))) return false;
    return true;
  }

  function* take(step: CompiledStep): Generator<DryStep, boolean> {
    function* record(input: JsonValue, output: JsonValue, error: string | null = null) {
      yield { name: step.name, path: step.path, type: step.type, input, output, error };
      if (step.kind === 'action' || step.kind === 'branch') outputs[step.id] = { output };
      return error === null;
    }
    const fail = (fault: StepFault) => record(null, null, `[${fault.code}] ${fault.message}`);
    const limit = limitHit({ events: 0, payloadBytes: worksOn, workMs: 0 });
    if (limit) return yield* fail(limit);
    switch (step.kind) {
      case 'stop':
        yield* record(null, null);
        return false;
      case 'branch': {
        for (const { id, when, steps: inner } of step.branches) {
          const held = when(scope());
          if (!held.ok) return yield* fail(held);
          if (held.value) return (yield* record(null, { branch: id })) && (yield* walk(inner));
        }
        return (yield* record(null, { branch: null })) && (yield* walk(step.otherwise));
      }
      case 'delay': {
        const spec = step.resolve(scope());
        if (!spec.ok) return yield* fail(spec);
        const begins = Date.parse(at);
        const end = delayEnd(begins, spec.value, timezone, step.window);
        if (!end.ok) return yield* fail(end);
        const tooLong = delayLimitHit(about, begins, end.value);
        if (tooLong) return yield* fail(tooLong);
        at = new Date(Math.max(begins, end.value.until)).toISOString();
        // A run works out what comes after a delay in an append of its own, with a new limit; so does a run after an
        // effect.
        effort = new Effort();
        return yield* record({ ...spec.value }, null);
      }
      case 'action': {
        const input = step.resolve(scope());
        if (!input.ok) return yield* fail(input);
        if (bytesOf(input.value) > payloadBytes) return yield* fail(tooLarge('input'));
        if (step.action.effect !== 'pure') effort = new Effort();
        const output = step.action.dryRun(input.value);
        worksOn += bytesOf(input.value) + bytesOf(output);
        return yield* record(input.value, output);
      }
      default:
        return step satisfies never;
    }
  }

  yield* walk(definition.steps);
}

const bytesOf = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value));
