import type { ActionOutcome } from '../../actions/action.ts';
import type { ActionStep } from '../../definition/compiled.ts';
import { type Progress, shownMessage } from '../progress.ts';
import { stepBackoffMs, turnMs } from '../retry/backoff.ts';
import { payloadBytes, tooLarge, wallHit } from './limits.ts';

/**
 * Decides what becomes of the step that an attempt was made for: it succeeds, is tried again, or fails. `ms` is how
 * long the attempt took, in milliseconds.
 */
export function settle(progress: Progress, step: ActionStep, outcome: ActionOutcome, ms: number): undefined {
  if (outcome.ok) {
    const { output, providerRef } = outcome;
    // The effect has happened, but later steps may not work with an output of this size.
    if (Buffer.byteLength(JSON.stringify(output)) > payloadBytes)
      return progress.fail(step, tooLarge('output'), { definite: false, ms });
    return progress.succeed(step, { output, ms, ...(providerRef !== undefined && { providerRef }) });
  }
  const { transient, definite, retryAfterSeconds, costsAttempt = false, patienceMs } = outcome;
  const counts = retryAfterSeconds === undefined || costsAttempt;
  const { id, path } = step;
  const { attempt = 1, countedAttempts: counted = 0, putOff } = progress.run.steps.get(path) ?? {};
  const { now } = progress.circumstances;
  const hasWaited =
    putOff?.code === outcome.code && now - Date.parse(putOff.since) >= (patienceMs ?? Infinity);
  if (!transient || hasWaited || (counts && counted >= step.attempts))
    return progress.fail(step, outcome, { definite, ms });
  // Waiting at a limit costs no attempts, however often; but no run outlives the limit on its age.
  const tooOld = counts ? undefined : wallHit(progress.run, now);
  if (tooOld) return progress.fail(step, tooOld, { definite, ms });
  const chance = progress.circumstances.chance();
  progress.add({
    type: 'StepRetryScheduled',
    data: {
      step: id,
      path,
      attempt,
      counts,
      code: outcome.code,
      message: shownMessage(outcome.message),
      after_ms: counts
        ? stepBackoffMs(counted, chance, retryAfterSeconds)
        : turnMs(attempt, chance, retryAfterSeconds),
      ms: Math.round(ms),
      at: progress.at,
    },
  });
}
