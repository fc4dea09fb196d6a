import { type AppendResult, type EventStore, LostRaces, type RecordedEvent } from '@parley/event-store';
import type pg from 'pg';
import { backoffMs, isOutage, longestOutagePauseMs, pause } from './backoff.ts';
import { advanceCheckpoint, CheckpointLost, isCheckpointLost, loadCheckpoint } from './checkpoint.ts';
import { ownLog } from './event-source.ts';
import { follow } from './follow.ts';
import type { OnProblem } from './problem.ts';
import { effectIdOf, metadataAfter, type Reactor, type ReactorContext } from './reactor.ts';

export interface ProcessorEnvironment {
  readonly store: EventStore;
  readonly pool: pg.Pool;
  readonly pollMs: number;
  readonly onProblem: OnProblem;
}

const pageSize = 500;
/** Positions of events without an append are saved this often: repeating them is harmless, and each saving is a commit. */
const saveAfterMs = 1_000;

/** Runs the reactor until the signal aborts; rejects with `CheckpointLost` when another process has taken over. */
export async function runReactor(
  reactor: Reactor,
  environment: ProcessorEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { store, pool, pollMs } = environment;
  const source = reactor.source ?? ownLog(store);
  const run = new ReactorRun(reactor, environment, signal, await loadCheckpoint(pool, reactor.checkpoint));
  try {
    await follow({
      source,
      types: reactor.handles,
      after: run.saved,
      limit: pageSize,
      pollMs,
      restMs: reactor.restMs,
      signal,
      handle: (events, to) => run.handle(events, to),
    });
  } finally {
    // Saves a successor some work; when there is one already, the checkpoint refuses it.
    await run.save().catch(() => undefined);
  }
}

class ReactorRun {
  /** Where the checkpoint in the database is. */
  saved: number;
  #position: number;
  #savedAt = performance.now();
  readonly #reactor: Reactor;
  readonly #environment: ProcessorEnvironment;
  readonly #signal: AbortSignal;

  constructor(reactor: Reactor, environment: ProcessorEnvironment, signal: AbortSignal, position: number) {
    this.#reactor = reactor;
    this.#environment = environment;
    this.#signal = signal;
    this.saved = position;
    this.#position = position;
  }

  async handle(events: readonly RecordedEvent[], to: number): Promise<void> {
    await this.#prepare(events);
    for (const event of events) {
      if (this.#signal.aborted) return;
      await this.#handleOne(event);
      this.#position = event.position;
      if (performance.now() - this.#savedAt >= saveAfterMs) await this.save();
    }
    this.#position = to;
    if (performance.now() - this.#savedAt >= saveAfterMs) await this.save();
  }

  async #prepare(events: readonly RecordedEvent[]): Promise<void> {
    const { checkpoint, prepare } = this.#reactor;
    const position = events[0]?.position;
    if (!prepare || position === undefined) return;
    try {
      await prepare(events);
    } catch (error) {
      this.#environment.onProblem({ kind: 'retrying', processor: checkpoint, error, attempt: 1, position });
    }
  }

  /** Moves the checkpoint to where the work is. */
  async save(): Promise<void> {
    if (this.#position <= this.saved) return;
    await this.#environment.pool.query(
      advanceCheckpoint(this.#reactor.checkpoint, this.saved, this.#position),
    );
    this.#setSaved(this.#position);
  }

  #setSaved(position: number): void {
    this.saved = position;
    this.#savedAt = performance.now();
  }

  async #handleOne(event: RecordedEvent): Promise<void> {
    const { maxAttempts = 5, checkpoint } = this.#reactor;
    let outages = 0;
    for (let attempt = 1; !this.#signal.aborted; ) {
      try {
        await this.#attempt(event, attempt);
        return;
      } catch (error) {
        if (isCheckpointLost(error)) throw error;
        const isDown = isOutage(error);
        if (!isDown && attempt >= maxAttempts) {
          await this.#giveUp(event, error, attempt);
          return;
        }
        this.#environment.onProblem({
          kind: 'retrying',
          processor: checkpoint,
          error,
          attempt,
          position: event.position,
        });
        outages += isDown ? 1 : 0;
        const pauseMs = isDown ? backoffMs(outages, 100, longestOutagePauseMs) : backoffMs(attempt);
        await pause(pauseMs, this.#signal);
        attempt += isDown ? 0 : 1;
      }
    }
    throw new CheckpointLost(`${checkpoint} was stopped at ${event.position}.`);
  }

  async #attempt(event: RecordedEvent, attempt: number): Promise<void> {
    // What follows from it was done where it happened, and is in the log as well.
    if (event.metadata.imported) return;
    const { name, checkpoint, react } = this.#reactor;
    const { store } = this.#environment;
    const context: ReactorContext = {
      store,
      attempt,
      signal: this.#signal,
      effectId: (label) => effectIdOf(event.eventId, name, label),
      metadata: metadataAfter(event, name),
    };
    const races = new LostRaces();
    for (;;) {
      const request = await react(event, context);
      if (!request) return;
      const result = await store.append({
        ...request,
        checkpoint: { processor: checkpoint, from: this.saved, to: event.position },
      });
      if (result.kind === 'appended') this.#setSaved(event.position);
      // A known command id: the effect is there already, and the checkpoint follows with the next save.
      if (result.kind === 'appended' || result.kind === 'repeated') return;
      if (result.kind !== 'conflict' || !(await races.mayRetry())) throw refusal(checkpoint, result);
    }
  }

  async #giveUp(event: RecordedEvent, error: unknown, attempts: number): Promise<void> {
    const { checkpoint } = this.#reactor;
    await this.#environment.pool.query({
      text: `with letter as (
               insert into es.dead_letters (processor, position, event_id, error, attempts)
               values ($1, $3, $4, $5, $6) on conflict (processor, position) do nothing
             )
             select es.advance_checkpoint($1, $2, $3)`,
      values: [checkpoint, this.saved, event.position, event.eventId, describe(error), attempts],
    });
    this.#setSaved(event.position);
    this.#environment.onProblem({ kind: 'dead-letter', processor: checkpoint, error, attempts, event });
  }
}

function refusal(processor: string, result: Exclude<AppendResult, { kind: 'appended' | 'repeated' }>): Error {
  if (result.kind === 'checkpoint-moved')
    return new CheckpointLost(`${processor} was moved to ${result.actual}.`);
  return new Error(`The append of ${processor} was refused: ${JSON.stringify(result)}`);
}

export const describe = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 4_000);
