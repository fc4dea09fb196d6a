import type { AutomationActionStep, AutomationStep } from '@parley/contracts';

/** A step that does something, and its path in the definition, such as `steps.0.branches.1.steps.2`. */
export interface PlacedStep {
  readonly path: string;
  readonly step: AutomationActionStep;
}

/** The steps that do something, those in branches included, in the order in which they stand there. */
export const actionSteps = (steps: readonly AutomationStep[], path = 'steps'): readonly PlacedStep[] =>
  steps.flatMap((step, index): readonly PlacedStep[] => {
    const here = `${path}.${index}`;
    if (step.type === 'delay' || step.type === 'stop') return [];
    if (step.type !== 'branch') return [{ path: here, step }];
    const inner = step.branches.flatMap((branch, place) =>
      actionSteps(branch.steps, `${here}.branches.${place}.steps`),
    );
    return [...inner, ...actionSteps(step.else ?? [], `${here}.else`)];
  });
