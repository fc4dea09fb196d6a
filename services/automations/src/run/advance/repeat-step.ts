import type { ActionStep } from '../../definition/compiled.ts';
import type { JsonValue } from '../../json.ts';
import type { Progress } from '../progress.ts';
import type { StepState } from '../run.ts';
import type { Work } from './advance.ts';
import { maxTakeovers } from './limits.ts';

/**
 * Starts the next attempt of a step whose backoff is over, with the input that it had. Undefined when the run does not
 * wait for that any more.
 */
export function tryAgain(progress: Progress, step: ActionStep, input: JsonValue): Work | undefined {
  const state = currentStep(progress);
  if (progress.run.phase !== 'backoff' || state?.path !== step.path) return undefined;
  startAgain(progress, state, { attempt: state.attempt + 1, takeover: 0 });
  return { step, input };
}

/**
 * Decides about a step whose process is gone: this process starts it again. Where it was taken over too often, or must
 * not be done twice (`unkeyed`, `onUnknown: 'fail'`), the run fails instead, and its outcome is unknown. Undefined when
 * nothing is to be done.
 */
export function takeOver(progress: Progress, step: ActionStep, input: JsonValue): Work | undefined {
  const state = currentStep(progress);
  if (progress.run.phase !== 'executing' || state?.path !== step.path) return undefined;
  if (state.takeover >= maxTakeovers) {
    const message = `${maxTakeovers + 1} processes have died while working on this step.`;
    progress.fail(
      state,
      { code: 'TAKEOVERS_EXHAUSTED', class: 'wiring_error', message },
      { definite: false },
    );
    return undefined;
  }
  if (state.effect === 'unkeyed' && step.onUnknown === 'fail') {
    const message = 'The process that did this step died on the way; nobody knows whether it was done.';
    progress.fail(state, { code: 'OUTCOME_UNKNOWN', class: 'wiring_error', message }, { definite: false });
    return undefined;
  }
  startAgain(progress, state, { attempt: state.attempt, takeover: state.takeover + 1 });
  return { step, input };
}

function currentStep({ run }: Progress): StepState | undefined {
  return run.current === null ? undefined : run.steps.get(run.current);
}

function startAgain(
  progress: Progress,
  { id, path, type, effect, effectKey, input }: StepState,
  numbers: { readonly attempt: number; readonly takeover: number },
): void {
  progress.add({
    type: 'StepStarted',
    data: {
      step: id,
      path,
      type,
      ...numbers,
      effect,
      effect_key: effectKey,
      input_ref: input?.ref ?? null,
      input_hash: input?.hash ?? null,
      input_bytes: input?.bytes ?? 0,
      at: progress.at,
    },
  });
}
