import type { explainAutomationRetry, OperationSuccess } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { explainedEventOf } from '@parley/service-kit';
import { isForNow, type RetryEvidence, type RetryReason, retryRules } from '../retry/retry-rules.ts';
import type { Run } from '../run.ts';

type ExplainedRule = OperationSuccess<typeof explainAutomationRetry>['retry']['rules'][number];

export interface RecordedEvidence extends RetryEvidence {
  /** The events of the run's stream. */
  readonly recorded: readonly RecordedEvent[];
}

/**
 * Every rule of a retry with its verdict, the newest event behind it, and when time alone turns the verdict (null:
 * never).
 */
export const explainRules = (
  run: Run,
  evidence: RecordedEvidence,
  wording: Readonly<Record<RetryReason, string>>,
): ExplainedRule[] =>
  retryRules.map(({ rule, reason: reasonOf, passed, events, flipsAt }) => {
    const reason = reasonOf(run, evidence);
    const newest = evidence.recorded.findLast(({ type }) => events.includes(type));
    const flips = flipsAt?.(run, evidence) ?? null;
    return {
      rule,
      verdict: reason === null ? 'passed' : 'failed',
      reason,
      error: reason && (isForNow(reason) ? 'retry_failed' : 'retry_no_op'),
      explanation: reason === null ? passed : wording[reason],
      event: newest ? explainedEventOf(newest) : null,
      flips_at: flips === null ? null : new Date(flips).toISOString(),
    };
  });
