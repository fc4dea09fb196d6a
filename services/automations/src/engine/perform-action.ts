import { SealKeyMissing } from '@parley/process-kit';
import { throughOutages } from '@parley/processing';
import type { ActionOutcome } from '../actions/action.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import type { Work } from '../run/advance/advance.ts';
import { attemptMs, sealedMs } from '../run/advance/limits.ts';
import type { Connections } from './ports.ts';
import type { LoadedRun } from './run-log.ts';

/** How one attempt ended, and how long that took once its connection was there, in milliseconds. */
export interface Performed {
  readonly outcome: ActionOutcome;
  readonly ms: number;
}

/**
 * Carries out one attempt of an action whose step is started in the given state of its run. Never rejects: an
 * exception, or silence for a minute, is a failure with an unknown outcome. While the database is away, the look-up of
 * the connection waits and nothing is asked outside.
 */
export async function performAction(
  { connections, closing }: { readonly connections: Connections; readonly closing: AbortSignal },
  { run, accountId, correlationId, chainDepth, attemptId }: LoadedRun,
  definition: CompiledDefinition,
  { step, input }: Work,
): Promise<Performed> {
  let startedAt = performance.now();
  const outcome = await attempt().catch(unknownOutcome);
  return { outcome, ms: performance.now() - startedAt };

  async function attempt(): Promise<ActionOutcome> {
    const name = step.connection;
    const found =
      name === null
        ? undefined
        : await throughOutages(closing, () =>
            connections.resolve(accountId, definition, name).catch(keyMissing),
          );
    startedAt = performance.now();
    if (found && !found.ok) return { transient: false, ...found, definite: true };
    const started = run.steps.get(step.path);
    if (!started) throw new Error(`The step ${step.path} was not started.`);
    const deadline = new AbortController();
    const running = step.action.run(input, {
      accountId,
      automationId: run.automationId,
      runId: run.runId,
      correlationId,
      causationId: attemptId ?? run.runId,
      chainDepth,
      effectKey: started.effectKey,
      freshStarts: started.freshStarts,
      connection: found?.value ?? null,
      now: started.startedAt,
      signal: deadline.signal,
    });
    return within(running, deadline);
  }
}

/**
 * The secret of the connection is sealed with a key that this process lacks, so nobody was asked. The step tries again
 * every few seconds, at no cost of attempts and without a place, until a process that has the key gets to it; after a
 * day it fails.
 */
function keyMissing(error: unknown) {
  if (!(error instanceof SealKeyMissing)) throw error;
  return {
    ok: false,
    code: 'CONNECTION_SEALED',
    class: 'missing_connection',
    message: 'The secret of the connection cannot be opened at the moment.',
    transient: true,
    retryAfterSeconds: 5,
    patienceMs: sealedMs,
  } as const;
}

/** The outcome of the attempt, or a failure when it takes longer than `attemptMs`, which aborts it. */
function within(running: Promise<ActionOutcome>, deadline: AbortController): Promise<ActionOutcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(failure('TIMEOUT', 'The attempt took too long.'));
      deadline.abort();
    }, attemptMs);
    running.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The text of an unexpected error is never shown: it may hold secrets. */
const unknownOutcome = (): ActionOutcome => failure('ACTION_FAILED', 'The step ended unexpectedly.');

const failure = (code: string, message: string): ActionOutcome => ({
  ok: false,
  code,
  class: 'wiring_error',
  message,
  transient: true,
  definite: false,
});
