import type { CompiledDefinition, CompiledStep, Scope } from '../definition/compiled.ts';
import { Effort } from '../expression/effort.ts';
import type { JsonValue } from '../json.ts';

export interface DryStep {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly input: JsonValue;
  readonly output: JsonValue;
  readonly error: string | null;
}

/**
 * What a run would do with this event, without doing it: actions are stood in for, delays do not wait. Worked out step by
 * step, so that others have their turn in between: each may look at as much as it may in a run.
 */
export function* dryRun(
  definition: CompiledDefinition,
  trigger: JsonValue,
  now: string,
): Generator<DryStep, void> {
  const outputs: Record<string, { readonly output: JsonValue }> = Object.create(null);
  const { vars } = definition;
  let effort = new Effort();
  const scope = (): Scope => ({ trigger, steps: outputs, vars, run: { id: 'dry-run' }, now, effort });

  /** Whether the run goes on. */
  function* walk(list: readonly CompiledStep[]): Generator<DryStep, boolean> {
    for (const step of list) if (!(yield* take(step))) return false;
    return true;
  }

  function* take(step: CompiledStep): Generator<DryStep, boolean> {
    function* record(input: JsonValue, output: JsonValue, error: string | null = null) {
      yield { name: step.name, path: step.path, type: step.type, input, output, error };
      outputs[step.id] = { output };
      return error === null;
    }
    switch (step.kind) {
      case 'stop':
        yield* record(null, null);
        return false;
      case 'branch': {
        for (const { id, when, steps: inner } of step.branches) {
          const held = when(scope());
          if (!held.ok) return yield* record(null, null, `[${held.code}] ${held.message}`);
          if (held.value) return (yield* record(null, { branch: id })) && (yield* walk(inner));
        }
        return (yield* record(null, { branch: null })) && (yield* walk(step.otherwise));
      }
      case 'action':
      case 'delay': {
        const input = step.resolve(scope());
        if (!input.ok) return yield* record(null, null, `[${input.code}] ${input.message}`);
        const isAction = step.kind === 'action';
        // What comes after it is worked out in another go.
        if (!isAction || step.action.effect !== 'pure') effort = new Effort();
        return yield* record(input.value, isAction ? step.action.dryRun(input.value as JsonValue) : null);
      }
      default:
        return step satisfies never;
    }
  }

  yield* walk(definition.steps);
}
