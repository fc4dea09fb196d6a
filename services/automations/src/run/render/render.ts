import type { explainAutomationRetry, listAutomationRuns, OperationSuccess } from '@parley/contracts';
import type { CompiledDefinition } from '../../definition/compiled.ts';
import { findStep } from '../advance/walk.ts';
import type { RetryJudgement } from '../retry/retry.ts';
import { arePayloadsGone, type RetryReason, validUntil } from '../retry/retry-rules.ts';
import type { Run, StepState } from '../run.ts';
import { explainRules, type RecordedEvidence } from './explain-rules.ts';

type Detail = Extract<OperationSuccess<typeof listAutomationRuns>, { run: unknown }>['run'];
type Explanation = OperationSuccess<typeof explainAutomationRetry>;

/** A run with its steps as the API shows it, named as in the version that it follows; `now` in milliseconds. */
export const renderRun = (
  run: Run,
  now: number,
  judgement: RetryJudgement,
  definition?: CompiledDefinition,
): Detail => ({
  ...summarise(run, now),
  automation_id: String(run.automationId),
  version: run.version,
  steps: [...run.steps.values()].map((step) => renderStep(step, definition)),
  waiting: waitOf(run),
  retries: run.epoch,
  retry: renderRetry(run, judgement),
});

/** Until when it waits at a delay, or for the next attempt at its step. */
function waitOf({ at, backoffMs, current, pause, phase, steps }: Run): Detail['waiting'] {
  if (pause) return { until: pause.until, reason: null };
  if (phase !== 'backoff' || current === null) return null;
  const until = new Date(Date.parse(at) + backoffMs).toISOString();
  return { until, reason: steps.get(current)?.putOff?.code ?? null };
}

/** A run as lists show it; `now` in milliseconds. */
export const summarise = (
  run: Run,
  now: number,
): Pick<Detail, 'id' | 'status' | 'start_time' | 'duration_ms'> => ({
  id: run.runId,
  status: run.status,
  start_time: run.startedAt,
  duration_ms: durationMs(run, now),
});

/** Active time, in milliseconds: never decreases, and stands still while the run is paused or has ended. */
const durationMs = ({ activeMs, activeSince }: Pick<Run, 'activeMs' | 'activeSince'>, now: number): number =>
  activeMs + (activeSince === null ? 0 : Math.max(0, now - Date.parse(activeSince)));

/** A step as the API shows it. Where it failed before it began, its type comes from the definition. */
export function renderStep(
  { id, path, type, status, attempt, fault }: StepState,
  definition: CompiledDefinition | undefined,
): Detail['steps'][number] {
  const defined = definition && findStep(definition.steps, path);
  return {
    name: defined?.name ?? id,
    id,
    status,
    classification: fault?.class ?? (status === 'PAUSED' ? 'paused_at_delay' : 'ok'),
    error: fault && `[${fault.code}] ${fault.message}`,
    path,
    type: type === '' ? (defined?.type ?? '') : type,
    attempts: attempt,
  };
}

/** Whether the run can be retried, as the API shows it, and from which step or why not. */
export const renderRetry = (run: Run, judgement: RetryJudgement): Detail['retry'] =>
  judgement.kind === 'possible'
    ? { possible: true, reason: null, from_step: run.steps.get(judgement.path)?.id ?? null }
    : { possible: false, reason: judgement.reason, from_step: null };

/** The full explanation of whether a run can be retried, with every rule. */
export function renderExplanation(
  run: Run,
  judgement: RetryJudgement,
  evidence: RecordedEvidence,
): Explanation {
  const succeeded = [...run.steps.values()]
    .filter(({ status }) => status === 'SUCCEEDED')
    .map(({ id }) => id);
  const retry = renderRetry(run, judgement);
  return {
    run_id: run.runId,
    status: run.status,
    retry: {
      ...retry,
      message: explain(run, judgement),
      error: judgement.kind === 'possible' ? null : `retry_${judgement.kind}`,
      kept_steps: succeeded,
      would_repeat: retry.from_step === null ? [] : [retry.from_step],
      valid_until:
        run.status === 'FAILED' && !arePayloadsGone(run) ? new Date(validUntil(run)).toISOString() : null,
      version_from: run.version,
      version_to: judgement.kind === 'possible' ? judgement.definition.version : run.version,
      rules: explainRules(run, evidence, messages),
    },
  };
}

const goesOnByItself = 'repair the automation and run it anew, or wait for the next trigger event.';

const messages: Readonly<Record<RetryReason, string>> = {
  running: 'The run is under way; try again when it has failed.',
  under_way: 'Another retry of this run is under way; look at the run, or try again shortly.',
  paused: 'The run waits at a delay and goes on by itself; there is nothing to retry.',
  succeeded: 'The run has succeeded; there is nothing to retry.',
  payloads_erased: `What the run worked on was erased: ${goesOnByItself}`,
  version_gone: `The version of the automation that the run follows is gone: ${goesOnByItself}`,
  too_old: `The run failed too long ago: ${goesOnByItself}`,
  limit_reached: `The run has reached a limit of events, payloads or work, which a retry does not lift: ${goesOnByItself}`,
  after_delay: `The run has passed a delay, after which this automation allows no retry: ${goesOnByItself}`,
};

/** A sentence for people: what a retry does, or why there is none. */
export function explain(run: Run, judgement: RetryJudgement): string {
  if (judgement.kind !== 'possible') return messages[judgement.reason];
  const step = run.steps.get(judgement.path)?.id ?? judgement.path;
  const { version } = judgement.definition;
  const repaired = version === run.version ? '' : `, by version ${version} of the automation`;
  return `The run goes on from step ${step}${repaired}; steps that succeeded are not executed again.`;
}
