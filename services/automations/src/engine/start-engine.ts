import type { EventStore, SqlExecutor } from '@parley/event-store';
import type { Logger } from '@parley/process-kit';
import type { OnProblem, OwnershipKeeper, Reactor, TimerHandler } from '@parley/processing';
import type pg from 'pg';
import { erasePayloads } from '../payloads/erase-payloads.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { createReadyRuns } from '../views/ready-runs.ts';
import { startAdmission } from './admission.ts';
import { Engine } from './engine.ts';
import type { Connections, Definitions } from './ports.ts';
import { RunLog } from './run-log.ts';
import { RunMemories } from './run-memory.ts';
import { runTimerHandlers } from './run-timer-handlers.ts';
import { Slots } from './slots.ts';
import { stopRuns } from './stop-runs.ts';
import { registerWorker } from './workers.ts';

export interface EngineEnvironment {
  readonly connections: Connections;
  readonly definitions: Definitions;
  readonly logger: Logger;
  /** Runs that one process works on at a time. */
  readonly maxConcurrentRuns: number;
  readonly onProblem: OnProblem;
  readonly ownership: OwnershipKeeper;
  readonly payloads: PayloadStore;
  readonly pool: pg.Pool;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}

/** How long a stopping process waits for steps under way; other processes take over what is left. */
const graceMs = 8_000;

/** The engine at work; `close` resolves when its steps under way have ended, or after some seconds. */
export interface RunningEngine {
  readonly reactors: readonly Reactor[];
  readonly timers: Readonly<Record<string, TimerHandler>>;
  close(): Promise<void>;
}

/** Starts the engine in this process, beside any number of others on the same log. */
export function startEngine(environment: EngineEnvironment): RunningEngine {
  const { connections, definitions, logger, onProblem, ownership, payloads, pool, sql, store } = environment;
  const closing = new AbortController();
  const log = new RunLog(store);
  const memories = new RunMemories(payloads);
  const slots = new Slots(environment.maxConcurrentRuns);
  const workers = registerWorker(ownership, closing.signal);
  const engine = new Engine({
    connections,
    definitions,
    log,
    logger,
    memories,
    now: () => store.now(),
    slots,
    worker: workers.self,
  });
  const admission = workers.registered.then(() =>
    closing.signal.aborted
      ? undefined
      : startAdmission({
          engine,
          onHint: (wake) => store.onAppended(wake),
          onProblem,
          ready: createReadyRuns(pool),
          slots,
        }),
  );
  return {
    reactors: [stopRuns({ definitions, sql, store }), erasePayloads(payloads)],
    timers: runTimerHandlers({ engine, log, memories, slots, workers }),
    async close() {
      closing.abort();
      await (await admission.catch(() => undefined))?.close();
      await engine.close(graceMs);
    },
  };
}
