import { type EventStore, forLookUps } from '@parley/event-store';
import type pg from 'pg';
import { isCheckpointLost } from './checkpoint.ts';
import { backoffMs, pause } from './outages/backoff.ts';
import { createOwnershipKeeper, type OwnershipKeeper } from './ownership.ts';
import type { OnProblem } from './problem.ts';
import type { ProcessorEnvironment } from './processor-environment.ts';
import type { FollowingProjection } from './projections/following-projection.ts';
import { prepareTables } from './projections/prepare-projections.ts';
import { runProjection } from './projections/run-projection.ts';
import { EventsInHand } from './reactors/events-in-hand.ts';
import type { Reactor } from './reactors/reactor.ts';
import { runReactor } from './reactors/run-reactor.ts';

export type Processor = Reactor | FollowingProjection;

export interface ProcessorsOptions {
  readonly store: EventStore;
  readonly pool: pg.Pool;
  readonly processors: readonly Processor[];
  /** One for the process; its own when absent. */
  readonly ownership?: OwnershipKeeper;
  /** Backstop for lost wake-ups; 1,000 when absent. */
  readonly pollMs?: number;
  /** Log it and count it: nobody else hears of it. */
  readonly onProblem?: OnProblem;
  /** Where reactors say what they are at. */
  readonly inHand?: EventsInHand;
}

export interface RunningProcessors {
  /** Resolves when what is being handled is done; other copies take over at once. */
  close(): Promise<void>;
}

/**
 * Starts following logs. Of all copies of a service, one runs each processor; another takes over when it stops or dies.
 * Resolves when the tables of its projections exist.
 */
export async function startProcessors(options: ProcessorsOptions): Promise<RunningProcessors> {
  const { store, pool, processors, pollMs = 1_000, onProblem = () => undefined } = options;
  await prepareTables(
    pool,
    processors.flatMap((processor) => (processor.kind === 'projection' ? [processor.projection] : [])),
  );
  const closing = new AbortController();
  const ownership = options.ownership ?? createOwnershipKeeper(pool);
  const { inHand = new EventsInHand() } = options;
  const environment = { store, pool, sql: forLookUps(pool), pollMs, onProblem, inHand };
  const running = processors.map((processor) =>
    keepRunning(processor, environment, ownership, closing.signal),
  );
  return {
    async close() {
      closing.abort();
      await Promise.all(running);
      if (!options.ownership) await ownership.close();
    },
  };
}

async function keepRunning(
  processor: Processor,
  environment: ProcessorEnvironment,
  ownership: OwnershipKeeper,
  closing: AbortSignal,
): Promise<void> {
  for (let failures = 0; !closing.aborted; ) {
    const owned = await ownership.acquire(processor.checkpoint, closing).catch(() => undefined);
    if (!owned) return;
    const startedAt = performance.now();
    try {
      await run(processor, environment, AbortSignal.any([closing, owned.lost]));
      failures = 0;
    } catch (error) {
      // Work that went well for a while starts counting anew.
      failures = performance.now() - startedAt > 10_000 ? 1 : failures + 1;
      if (!isCheckpointLost(error))
        environment.onProblem({
          kind: 'retrying',
          processor: processor.checkpoint,
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

function run(processor: Processor, environment: ProcessorEnvironment, signal: AbortSignal): Promise<void> {
  switch (processor.kind) {
    case 'reactor':
      return runReactor(processor, environment, signal);
    case 'projection':
      return runProjection(processor, environment, signal);
    default:
      return processor satisfies never;
  }
}
