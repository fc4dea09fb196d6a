import type { RunEvent } from '@parley/contracts';
import type { Run, StepState } from './run.ts';

type StepStarted = Extract<RunEvent, { type: 'StepStarted' }>['data'];

/** Folds the start of an attempt of a step, or its takeover. */
export function startedStep(state: Run, data: StepStarted): Run {
  const { step: id, path, type, attempt, takeover, effect, effect_key: effectKey, at } = data;
  const before = state.steps.get(path);
  const { input_ref: ref, input_bytes: bytes, input_hash: hash } = data;
  const input = ref === null ? null : { ref, bytes, hash: hash ?? '' };
  const isNewAttempt = takeover === 0;
  const isSameInput = input !== null && before?.input?.ref === input.ref;
  return {
    ...withStep(state, path, {
      id,
      path,
      type,
      status: 'RUNNING',
      attempt,
      countedAttempts: (before?.countedAttempts ?? 0) + (isNewAttempt ? 1 : 0),
      takeover,
      effect,
      effectKey,
      isUncertain: before?.isUncertain === true || !isNewAttempt,
      startedAt: at,
      resolvedAt: isSameInput ? before.resolvedAt : at,
      input,
      fault: null,
    }),
    phase: 'executing',
    current: path,
    payloadBytes: state.payloadBytes + (input === null || isSameInput ? 0 : input.bytes),
  };
}

const unknownStep: Omit<StepState, 'path'> = {
  id: '',
  type: '',
  status: 'RUNNING',
  attempt: 0,
  countedAttempts: 0,
  takeover: 0,
  effect: 'pure',
  effectKey: '',
  isUncertain: false,
  putOff: null,
  freshStarts: 0,
  startedAt: '',
  resolvedAt: '',
  input: null,
  output: null,
  branch: null,
  fault: null,
};

/** The run with one step changed; a step that is not known yet is added. */
export function withStep(state: Run, path: string, change: Partial<StepState>): Run {
  const steps = new Map(state.steps);
  steps.set(path, { ...(steps.get(path) ?? { ...unknownStep, path }), ...change });
  return { ...state, steps };
}
