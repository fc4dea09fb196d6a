import type { CompiledDefinition } from '../../definition/compiled.ts';
import type { Progress } from '../progress.ts';
import type { Run } from '../run.ts';
import { type FinalReason, isForNow, type RetryReason, refusalOf } from './retry-rules.ts';

/** What is known about the automation when a retry is asked for. */
export interface RetryFacts {
  /** The platform clock, in milliseconds. */
  readonly now: number;
  /** The version that the run follows; undefined when it is gone. */
  readonly pinned: CompiledDefinition | undefined;
  /** The version that new runs take. */
  readonly newest: CompiledDefinition | undefined;
  /** Another request's retry of the run is not answered yet. */
  readonly isUnderWay: boolean;
}

/** Whether a run can be retried: from which step (`path`) and by which version, or why not. */
export type RetryJudgement =
  | { readonly kind: 'possible'; readonly path: string; readonly definition: CompiledDefinition }
  /** For good: there is no use in asking again. */
  | { readonly kind: 'no_op'; readonly reason: FinalReason }
  /** For now. */
  | { readonly kind: 'failed'; readonly reason: Exclude<RetryReason, FinalReason> };

/** Whether a run can be retried: one answer for every state. Pure. */
export function judgeRetry(run: Run, { now, pinned, newest, isUnderWay }: RetryFacts): RetryJudgement {
  const reason = refusalOf(run, { now, isUnderWay, hasDefinition: pinned !== undefined });
  if (reason) return isForNow(reason) ? { kind: 'failed', reason } : { kind: 'no_op', reason };
  if (!pinned || run.current === null) return { kind: 'no_op', reason: 'version_gone' };
  return { kind: 'possible', path: run.current, definition: repaired(run, pinned, newest) };
}

/**
 * The newest version, when the trigger is of the same type, everything before the failed step is as it was and the step
 * is still there: repairing the automation repairs the run. Otherwise the version that the run follows.
 */
function repaired(
  run: Run,
  pinned: CompiledDefinition,
  newest: CompiledDefinition | undefined,
): CompiledDefinition {
  if (!run.settings.usesRepairedVersion || !newest || run.current === null) return pinned;
  if (newest.trigger.definition.type !== pinned.trigger.definition.type) return pinned;
  const before = pinned.prefixHashOf(run.current);
  return before !== undefined && before === newest.prefixHashOf(run.current) ? newest : pinned;
}

/**
 * Puts a failed run back to its failed step at `path`, by the given definition; what succeeded stays as it is.
 * `commandId` is the request's, which others find under way until it is answered.
 */
export function startRetry(
  progress: Progress,
  path: string,
  { version, hash }: CompiledDefinition,
  commandId: string | null,
): void {
  const { run } = progress;
  const kept = [...run.steps.values()].filter(({ status }) => status === 'SUCCEEDED').length;
  progress.add({ type: 'RetryRequested', data: { command_id: commandId, at: progress.at } });
  progress.add({
    type: 'RunRetried',
    data: {
      from_step: path,
      version_from: run.version,
      version_to: version,
      definition_hash: hash,
      kept_steps: kept,
      epoch: run.epoch + 1,
      is_fresh_start: run.steps.get(path)?.isUncertain !== true,
      at: progress.at,
    },
  });
}
