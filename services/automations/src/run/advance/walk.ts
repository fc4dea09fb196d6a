import type { CompiledDefinition, CompiledStep } from '../../definition/compiled.ts';
import type { StepState } from '../run.ts';

type Steps = ReadonlyMap<string, Pick<StepState, 'status' | 'branch'>>;

/**
 * The step that comes next: the first on the path taken that has not succeeded; undefined when the run is at its end.
 * Everything before it has succeeded, because steps are only ever started from here.
 */
export const nextStep = (definition: CompiledDefinition, done: Steps): CompiledStep | undefined =>
  walk(definition.steps, done).next;

/** The step at a path, wherever in the tree it is; undefined when there is none. */
export const findStep = (steps: readonly CompiledStep[], path: string): CompiledStep | undefined => {
  for (const step of steps) {
    if (step.path === path) return step;
    if (step.kind !== 'branch') continue;
    const inner = [...step.branches.flatMap((branch) => branch.steps), ...step.otherwise];
    const found = findStep(inner, path);
    if (found) return found;
  }
  return undefined;
};

function walk(
  steps: readonly CompiledStep[],
  done: Steps,
): { readonly next: CompiledStep | undefined; readonly stopped: boolean } {
  for (const step of steps) {
    const state = done.get(step.path);
    if (state?.status !== 'SUCCEEDED') return { next: step, stopped: false };
    if (step.kind === 'stop') return { next: undefined, stopped: true };
    if (step.kind !== 'branch') continue;
    const taken = step.branches.find(({ id }) => id === state.branch);
    const inner = walk(taken?.steps ?? step.otherwise, done);
    if (inner.next || inner.stopped) return inner;
  }
  return { next: undefined, stopped: false };
}
