import { StoreUnavailable } from '../../port.ts';
import { sqlStateOf } from '../connection/session.ts';
import type { PendingAppend } from './pending-append.ts';

/** A batch that was not acknowledged. */
export class BatchFailed extends Error {
  override readonly name = 'BatchFailed';
  /** True when the commit was on its way, so that only the log itself knows. */
  readonly isOutcomeUnknown: boolean;
  readonly isConnectionLost: boolean;

  constructor(cause: unknown, isOutcomeUnknown: boolean, isConnectionLost: boolean) {
    super('A batch of appends was not acknowledged.', { cause });
    this.isOutcomeUnknown = isOutcomeUnknown;
    this.isConnectionLost = isConnectionLost;
  }
}

/** What becomes of the appends of a failed batch. */
export interface AfterFailure {
  /** Go back to the head of the queue. */
  readonly again: readonly PendingAppend[];
  /** Of these, or of those rejected, nobody knows whether they were written. */
  readonly mayBeWritten: readonly PendingAppend[];
  readonly rejected: readonly { readonly pending: PendingAppend; readonly error: unknown }[];
  /** Are tried on their own, so that the one that cannot be written fails alone. */
  readonly halves: readonly PendingAppend[][];
  readonly report: boolean;
}

const nothing: AfterFailure = { again: [], mayBeWritten: [], rejected: [], halves: [], report: false };

/** Somebody else moved what the batch builds on: serialization_failure, deadlock_detected. */
const runAgainStates = new Set(['40001', '40P01']);
/**
 * Not the batch's fault: lock_not_available, query_canceled, and everything of read-only transactions, lacking resources
 * and the system below.
 */
const unavailable = /^(55P03|57014|25006|53...|58...)$/;

/** Decides without doing anything. */
export function afterFailure(
  batch: readonly PendingAppend[],
  failure: BatchFailed,
  maxRunsAgain: number,
): AfterFailure {
  const reject = (error: unknown) => batch.map((pending) => ({ pending, error }));
  if (failure.isConnectionLost) return afterLoss(batch, failure, maxRunsAgain);
  const state = sqlStateOf(failure.cause) ?? '';
  if (runAgainStates.has(state)) return runAgain(batch, 'not-written', failure, maxRunsAgain);
  if (unavailable.test(state))
    return {
      ...nothing,
      rejected: reject(new StoreUnavailable('not-written', { cause: failure.cause })),
      report: true,
    };
  if (batch.length === 1) return { ...nothing, rejected: reject(failure.cause), report: false };
  const middle = Math.ceil(batch.length / 2);
  return { ...nothing, halves: [batch.slice(0, middle), batch.slice(middle)] };
}

/**
 * Appends that are certainly not written are tried again. So are those of unknown outcome that the log can recognise:
 * by their events' ids, or by their command. The few with neither are answered as unknown.
 */
function afterLoss(
  batch: readonly PendingAppend[],
  failure: BatchFailed,
  maxRunsAgain: number,
): AfterFailure {
  if (!failure.isOutcomeUnknown)
    return { ...runAgain(batch, 'not-written', failure, maxRunsAgain), report: true };
  const canBeRecognised = ({ events, request }: PendingAppend) =>
    events.length > 0 || request.command !== undefined;
  const { again, rejected } = runAgain(batch.filter(canBeRecognised), 'unknown', failure, maxRunsAgain);
  const error = new StoreUnavailable('unknown', { cause: failure.cause });
  const lost = batch.filter((pending) => !canBeRecognised(pending)).map((pending) => ({ pending, error }));
  return { ...nothing, again, mayBeWritten: batch, rejected: [...rejected, ...lost], report: true };
}

function runAgain(
  batch: readonly PendingAppend[],
  outcome: 'not-written' | 'unknown',
  failure: BatchFailed,
  maxRunsAgain: number,
): AfterFailure {
  const isTired = ({ runsAgain }: PendingAppend) => runsAgain >= maxRunsAgain;
  const error = new StoreUnavailable(outcome, { cause: failure.cause });
  const rejected = batch.filter(isTired).map((pending) => ({ pending, error }));
  const again = batch.filter((pending) => !isTired(pending));
  return { ...nothing, again, rejected, report: rejected.length > 0 };
}
