import { type EventStore, forLookUps } from '@parley/event-store';
import type pg from 'pg';
import { isCheckpointLost } from '../checkpoint.ts';
import { backoffMs, pause } from '../outages/backoff.ts';
import { createOwnershipKeeper, type OwnershipKeeper } from '../ownership.ts';
import type { OnProblem } from '../problem.ts';
import { WorkInHand } from '../work-in-hand.ts';
import type { Reactor } from './reactor.ts';
import type { ReactorEnvironment } from './reactor-environment.ts';
import { runReactor } from './run-reactor.ts';

export interface ReactorsOptions {
  readonly store: EventStore;
  readonly pool: pg.Pool;
  readonly reactors: readonly Reactor[];
  /** One for the process; its own when absent. */
  readonly ownership?: OwnershipKeeper;
  /** Log it and count it: nobody else hears of it. */
  readonly onProblem?: OnProblem;
  /** Where reactors say what they are at. */
  readonly inHand?: WorkInHand;
}

export interface RunningReactors {
  /** Resolves when what is being handled is done; other copies take over at once. */
  close(): Promise<void>;
}

/** Starts following logs. Of all copies of a service, one runs each reactor; another takes over when it stops or dies. */
export function startReactors(options: ReactorsOptions): RunningReactors {
  const { store, pool, reactors, onProblem = () => undefined } = options;
  const closing = new AbortController();
  const ownership = options.ownership ?? createOwnershipKeeper(pool);
  const { inHand = new WorkInHand() } = options;
  const environment = { store, sql: forLookUps(pool), onProblem, inHand };
  const running = reactors.map((reactor) => keepRunning(reactor, environment, ownership, closing.signal));
  return {
    async close() {
      closing.abort();
      await Promise.all(running);
      if (!options.ownership) await ownership.close();
    },
  };
}

async function keepRunning(
  reactor: Reactor,
  environment: ReactorEnvironment,
  ownership: OwnershipKeeper,
  closing: AbortSignal,
): Promise<void> {
  for (let failures = 0; !closing.aborted; ) {
    const owned = await ownership.acquire(reactor.checkpoint, closing).catch(() => undefined);
    if (!owned) return;
    const startedAt = performance.now();
    try {
      await runReactor(reactor, environment, AbortSignal.any([closing, owned.lost]));
      failures = 0;
    } catch (error) {
      // Work that went well for a while starts counting anew.
      failures = performance.now() - startedAt > 10_000 ? 1 : failures + 1;
      if (!isCheckpointLost(error))
        environment.onProblem({
          kind: 'retrying',
          processor: reactor.checkpoint,
          error,
          attempt: failures,
          position: null,
        });
    } finally {
      await owned.release();
    }
    if (!closing.aborted && failures > 0) await pause(backoffMs(failures), closing);
  }
}
