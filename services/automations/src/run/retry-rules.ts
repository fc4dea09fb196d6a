import type { explainAutomationRetry, OperationSuccess } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { explainedEventOf } from '@parley/service-kit';
import { isAtLimit, retentionMs } from './limits.ts';
import type { RetryJudgement } from './retry.ts';
import type { Run } from './run.ts';
import { validUntil } from './staleness.ts';

type ExplainedRule = OperationSuccess<typeof explainAutomationRetry>['retry']['rules'][number];
type Reason = Extract<RetryJudgement, { reason: string }>['reason'];

/** What the rules look at. */
export interface RetryEvidence {
  /** The platform clock, in milliseconds. */
  readonly now: number;
  /** Another request's retry is not answered yet. */
  readonly isUnderWay: boolean;
  /** The version that the run follows is still there. */
  readonly hasDefinition: boolean;
  /** The run's stream. */
  readonly recorded: readonly RecordedEvent[];
}

interface Rule {
  readonly rule: string;
  /** Why a retry is refused when the rule fails; the first that fails is the answer. */
  readonly reason: (run: Run, evidence: RetryEvidence) => Reason | null;
  readonly passed: string;
  /** The newest of these is behind the verdict. */
  readonly events: readonly string[];
  /** When the verdict becomes the opposite by time alone, in milliseconds since 1970. */
  readonly flipsAt?: (run: Run, evidence: RetryEvidence) => number | null;
}

const standing: Readonly<Record<Run['status'], Reason | null>> = {
  RUNNING: 'running',
  PAUSED: 'paused',
  SUCCEEDED: 'succeeded',
  FAILED: null,
};

/** In the order in which a retry is judged. */
const rules: readonly Rule[] = [
  {
    rule: 'no_other_retry',
    reason: (_, { isUnderWay }) => (isUnderWay ? 'under_way' : null),
    passed: 'No other retry of the run is under way.',
    events: ['RetryRequested'],
  },
  {
    rule: 'failed',
    reason: ({ status }) => standing[status],
    passed: 'The run has failed.',
    events: ['RunStarted', 'RunPaused', 'RunResumed', 'RunFailed', 'RunSucceeded', 'RunRetried'],
  },
  {
    rule: 'payloads_kept',
    reason: ({ isErased }) => (isErased ? 'payloads_erased' : null),
    passed: 'What the run worked on is kept.',
    events: ['RunPayloadsErased'],
    flipsAt: ({ phase, isErased, at }) =>
      phase === 'ended' && !isErased ? Date.parse(at) + retentionMs : null,
  },
  {
    rule: 'version_kept',
    reason: (_, { hasDefinition }) => (hasDefinition ? null : 'version_gone'),
    passed: 'The version of the automation that the run follows is kept.',
    events: ['RunStarted', 'RunRetried'],
  },
  {
    rule: 'delay',
    reason: ({ settings, resumedAt }) =>
      settings.retryAfterDelay === 'refuse' && resumedAt !== null ? 'after_delay' : null,
    passed: 'The run has passed no delay, or its automation allows retries after one.',
    events: ['RunResumed'],
  },
  {
    rule: 'age',
    reason: (run, { now }) => (now > validUntil(run) ? 'too_old' : null),
    passed: 'The run is young enough.',
    events: ['RunStarted', 'RunResumed'],
    flipsAt: (run, { now }) => (now > validUntil(run) ? null : validUntil(run)),
  },
  {
    rule: 'limits',
    reason: (run) => (isAtLimit(run) ? 'limit_reached' : null),
    passed: 'The run has room for more events, payloads and work.',
    events: [],
  },
];

const transient: readonly Reason[] = ['running', 'under_way'];

/** Every rule of a retry with its verdict, the event behind it, and when it flips. */
export const explainRules = (
  run: Run,
  evidence: RetryEvidence,
  wording: Readonly<Record<Reason, string>>,
): ExplainedRule[] =>
  rules.map(({ rule, reason: reasonOf, passed, events, flipsAt }) => {
    const reason = reasonOf(run, evidence);
    const newest = evidence.recorded.findLast(({ type }) => events.includes(type));
    const flips = flipsAt?.(run, evidence) ?? null;
    return {
      rule,
      verdict: reason === null ? 'passed' : 'failed',
      reason,
      error: reason && (transient.includes(reason) ? 'retry_failed' : 'retry_no_op'),
      explanation: reason === null ? passed : wording[reason],
      event: newest ? explainedEventOf(newest) : null,
      flips_at: flips === null ? null : new Date(flips).toISOString(),
    };
  });
