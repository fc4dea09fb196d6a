import type { CompiledDefinition } from '../../definition/compiled.ts';
import type { Progress } from '../progress.ts';
import type { StepFault } from '../step-class.ts';
import { succeedRun } from './advance.ts';
import { nextStep } from './walk.ts';

export const automationDeleted: StepFault = {
  code: 'AUTOMATION_DELETED',
  class: 'wiring_error',
  message: 'The automation was deleted.',
};
export const automationStopped: StepFault = {
  code: 'AUTOMATION_STOPPED',
  class: 'wiring_error',
  message: 'The automation was deactivated, which stops its runs.',
};
/** The run's version is not there, or does not have its current step. */
export const definitionGone: StepFault = {
  code: 'DEFINITION_GONE',
  class: 'wiring_error',
  message: 'The version of the automation that this run follows does not exist any more.',
};

export const payloadsGone: StepFault = {
  code: 'PAYLOADS_GONE',
  class: 'wiring_error',
  message: 'What the run works on was erased.',
};

export const accountMoved: StepFault = {
  code: 'ACCOUNT_MOVED',
  class: 'wiring_error',
  message: 'The account came from another installation meanwhile: what came of the run is not known here.',
};

/** The decision on the next step has thrown. */
export const undecidable: StepFault = {
  code: 'STEP_UNDECIDABLE',
  class: 'wiring_error',
  message: 'What this step is to do cannot be worked out.',
};

/** Stands for the step where the definition is gone and none is known. */
const wholeRun = { id: 'run', path: 'run' };

/**
 * Ends a run that is under way: it fails at its current step, or at the one that would come next; where no step is
 * left, it succeeds. A run that has ended stays as it is.
 */
export function endRun(
  progress: Progress,
  fault: StepFault,
  definition: CompiledDefinition | undefined,
): void {
  const { run } = progress;
  if (run.phase === 'ended') return;
  const current = run.current === null ? undefined : run.steps.get(run.current);
  const next = current ?? (definition ? nextStep(definition, run.steps) : wholeRun);
  if (next) progress.fail(next, fault, { definite: run.phase !== 'executing' });
  else succeedRun(progress);
}
