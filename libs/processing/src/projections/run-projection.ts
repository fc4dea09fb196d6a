import type { RecordedEvent } from '@parley/event-store';
import { closeClient } from '@parley/event-store';
import type pg from 'pg';
import { advanceCheckpoint, CheckpointLost, isCheckpointLost, loadCheckpoint } from '../checkpoint.ts';
import { openClient, plannedAnew, runTransaction, withoutFsync } from '../database.ts';
import { ownLog } from '../event-source.ts';
import { follow } from '../follow.ts';
import { backoffMs, isOutage, pause } from '../outages/backoff.ts';
import { describeError } from '../problem.ts';
import type { ProcessorEnvironment } from '../processor-environment.ts';
import { pageSize } from './fill.ts';
import type { FollowingProjection } from './following-projection.ts';
import { collectStatements, liveSchema } from './projection.ts';
import { listProjections, setStatus } from './projection-status.ts';

const maxAttempts = 5;
/** A checkpoint that only passes over events of other types is saved this often. */
const saveAfterMs = 1_000;
/** The commit travels with the page: what takes longer here is finished by Postgres all the same. */
const pageTime = { query_timeout: 20_000 };
/** How often a stopped projection looks whether it has been rebuilt. */
const stoppedPollMs = 1_000;

/** Runs the projection until the signal aborts; rejects with `CheckpointLost` when another process has taken over. */
export async function runProjection(
  following: FollowingProjection,
  environment: ProcessorEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { projection, source = ownLog(environment.store) } = following;
  const client = await openClient(environment.pool, `project-${projection.name}`, pageTime);
  try {
    // A new process may have the code that can project what stopped an earlier one.
    await environment.sql.query(setStatus(projection, 'live'));
    const saved = await loadCheckpoint(environment.sql, projection.checkpoint);
    const run = new ProjectionRun(following, environment, signal, client, saved);
    await follow({
      source,
      types: projection.handles,
      after: saved,
      limit: pageSize,
      pollMs: environment.pollMs,
      signal,
      handle: (events, to) => run.handle(events, to),
    });
  } finally {
    await closeClient(client);
  }
}

class ProjectionRun {
  readonly #following: FollowingProjection;
  readonly #environment: ProcessorEnvironment;
  readonly #signal: AbortSignal;
  readonly #client: pg.Client;
  #saved: number;
  #savedAt = performance.now();

  constructor(
    following: FollowingProjection,
    environment: ProcessorEnvironment,
    signal: AbortSignal,
    client: pg.Client,
    saved: number,
  ) {
    this.#following = following;
    this.#environment = environment;
    this.#signal = signal;
    this.#client = client;
    this.#saved = saved;
  }

  async handle(events: readonly RecordedEvent[], to: number): Promise<void> {
    for (let attempt = 1; !this.#signal.aborted; attempt += 1) {
      try {
        return await this.#write(events, to);
      } catch (error) {
        if (isCheckpointLost(error) || isOutage(error)) throw error;
        if (attempt >= maxAttempts) return await this.#goAsFarAsPossible(events, to);
        const { checkpoint } = this.#following;
        const position = this.#saved;
        this.#environment.onProblem({ kind: 'retrying', processor: checkpoint, error, attempt, position });
        await pause(backoffMs(attempt), this.#signal);
      }
    }
  }

  async #write(events: readonly RecordedEvent[], to: number): Promise<void> {
    const { projection } = this.#following;
    const statements = await collectStatements(projection, events, liveSchema(projection));
    if (to <= this.#saved) return;
    if (statements.length === 0 && performance.now() - this.#savedAt < saveAfterMs) return;
    await runTransaction(this.#client, [
      withoutFsync,
      plannedAnew,
      advanceCheckpoint(projection.checkpoint, this.#saved, to),
      ...statements,
    ]);
    this.#saved = to;
    this.#savedAt = performance.now();
  }

  /** One by one up to the event that cannot be projected; there it stops, and says so. */
  async #goAsFarAsPossible(events: readonly RecordedEvent[], to: number): Promise<void> {
    const { projection, checkpoint } = this.#following;
    for (const event of events) {
      try {
        await this.#write([event], event.position);
      } catch (error) {
        if (isCheckpointLost(error) || isOutage(error)) throw error;
        const message = `Event ${event.position} (${event.type}): ${describeError(error)}`;
        await this.#environment.sql.query(setStatus(projection, 'failed', { error: message }));
        this.#environment.onProblem({
          kind: 'stopped',
          processor: checkpoint,
          error,
          position: event.position,
        });
        return await this.#untilRepaired();
      }
    }
    await this.#write([], to);
  }

  /** A rebuild sets the status back, and the checkpoint to where the new rows are: then it starts from there. */
  async #untilRepaired(): Promise<void> {
    const { projection } = this.#following;
    while (!this.#signal.aborted) {
      await pause(stoppedPollMs, this.#signal);
      const [listed] = await listProjections(this.#environment.sql, [projection]);
      if (listed?.status === 'live') throw new CheckpointLost(`${projection.name} was rebuilt.`);
    }
  }
}
