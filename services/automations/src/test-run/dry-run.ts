import type {
  ActionStep,
  CompiledDefinition,
  CompiledStep,
  DelayStep,
  Scope,
} from '../definition/compiled.ts';
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

/** What a run would do with this event, step by step, without doing it: actions are stood in for, delays do not wait. */
export function dryRun(definition: CompiledDefinition, trigger: JsonValue, now: string): readonly DryStep[] {
  const steps: DryStep[] = [];
  const outputs: Record<string, { readonly output: JsonValue }> = Object.create(null);
  const { vars } = definition;
  const effort = new Effort();
  const scope: Scope = { trigger, steps: outputs, vars, run: { id: 'dry-run' }, now, effort };

  /** Whether the run goes on. */
  function walk(list: readonly CompiledStep[]): boolean {
    return list.every((step) => {
      const record = (input: JsonValue, output: JsonValue, error: string | null = null): boolean => {
        steps.push({ name: step.name, path: step.path, type: step.type, input, output, error });
        outputs[step.id] = { output };
        return error === null;
      };
      switch (step.kind) {
        case 'stop':
          record(null, null);
          return false;
        case 'branch': {
          for (const { id, when, steps: inner } of step.branches) {
            const held = when(scope);
            if (!held.ok) return record(null, null, `[${held.code}] ${held.message}`);
            if (held.value) return record(null, { branch: id }) && walk(inner);
          }
          return record(null, { branch: null }) && walk(step.otherwise);
        }
        case 'action':
        case 'delay':
          return work(step, record);
        default:
          return step satisfies never;
      }
    });
  }

  function work(
    step: ActionStep | DelayStep,
    record: (input: JsonValue, output: JsonValue, error?: string | null) => boolean,
  ): boolean {
    const input = step.resolve(scope);
    if (!input.ok) return record(null, null, `[${input.code}] ${input.message}`);
    return record(input.value, step.kind === 'action' ? step.action.dryRun(input.value as JsonValue) : null);
  }

  walk(definition.steps);
  return steps;
}
