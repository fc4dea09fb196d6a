import { payloadsGone } from '../advance/end-run.ts';
import { isAtLimit, retentionMs } from '../advance/limits.ts';
import type { Run } from '../run.ts';

/** Why a run can never be retried any more; none of these ever ceases to hold. */
type StaleReason = 'payloads_erased' | 'version_gone' | 'too_old' | 'after_delay' | 'limit_reached';
/** Why a retry is refused with `retry_no_op`: there is no use in asking again. */
export type FinalReason = StaleReason | 'paused' | 'succeeded';
/** Why a retry is refused, for now or for good. */
export type RetryReason = FinalReason | 'running' | 'under_way';

/** What the rules need beside the run. */
export interface RetryEvidence {
  /** The platform clock, in milliseconds. */
  readonly now: number;
  /** Whether another request's retry is not answered yet. */
  readonly isUnderWay: boolean;
  /** Whether the version that the run follows is still there. */
  readonly hasDefinition: boolean;
}

interface Rule {
  readonly rule: string;
  /** Why a retry is refused when the rule fails; the first that fails is the answer. */
  readonly reason: (run: Run, evidence: RetryEvidence) => RetryReason | null;
  readonly passed: string;
  /** Event types; the newest event of any of them is shown as what the verdict rests on. */
  readonly events: readonly string[];
  /** When time alone turns the verdict into the opposite, in milliseconds since the epoch; null when it never does. */
  readonly flipsAt?: (run: Run, evidence: RetryEvidence) => number | null;
}

/** Until when a failed run whose payloads are kept can be retried, in milliseconds since the epoch. */
export const validUntil = (run: Run): number => Math.min(youngUntil(run), erasedAt(run));

/** When the payloads of an ended run are erased, in milliseconds since the epoch. */
const erasedAt = ({ at }: Run): number => Date.parse(at) + retentionMs;

/** Whether what the run works on is gone: it was erased, or the run failed since it was. */
export const arePayloadsGone = ({ current, isErased, steps }: Run): boolean =>
  isErased || (current !== null && steps.get(current)?.fault?.code === payloadsGone.code);

/**
 * Until when a run is young enough for a retry, in milliseconds since the epoch. The time counts from the end of its
 * last delay, so that a long delay does not use it up.
 */
function youngUntil({ resumedAt, startedAt, settings }: Run): number {
  if (settings.retryAfterDelay === 'refuse' && resumedAt !== null) return Date.parse(resumedAt);
  return Date.parse(resumedAt ?? startedAt) + settings.retryMaxAgeMs;
}

const standing: Readonly<Record<Run['status'], RetryReason | null>> = {
  RUNNING: 'running',
  PAUSED: 'paused',
  SUCCEEDED: 'succeeded',
  FAILED: null,
};

/** All rules of a retry, in the order in which they are judged. */
export const retryRules: readonly Rule[] = [
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
    reason: (run) => (arePayloadsGone(run) ? 'payloads_erased' : null),
    passed: 'What the run worked on is kept.',
    events: ['RunPayloadsErased'],
    flipsAt: (run) => (run.phase === 'ended' && !arePayloadsGone(run) ? erasedAt(run) : null),
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
    reason: (run, { now }) => (now > youngUntil(run) ? 'too_old' : null),
    passed: 'The run is young enough.',
    events: ['RunStarted', 'RunResumed'],
    flipsAt: (run, { now }) => (now > youngUntil(run) ? null : youngUntil(run)),
  },
  {
    rule: 'limits',
    reason: (run) => (isAtLimit(run) ? 'limit_reached' : null),
    passed: 'The run has room for more events, payloads and work.',
    events: [],
  },
];

/** Why a retry is refused; null when it is not. */
export function refusalOf(run: Run, evidence: RetryEvidence): RetryReason | null {
  for (const { reason: reasonOf } of retryRules) {
    const reason = reasonOf(run, evidence);
    if (reason) return reason;
  }
  return null;
}

/** Whether a refusal is for now only (`retry_failed`): the same request may be accepted later. */
export const isForNow = (reason: RetryReason): reason is Exclude<RetryReason, FinalReason> =>
  reason === 'running' || reason === 'under_way';
