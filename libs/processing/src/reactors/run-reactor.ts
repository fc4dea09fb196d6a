import type { AppendRequest, AppendResult, RecordedEvent } from '@parley/event-store';
import { advanceCheckpoint, CheckpointLost, isCheckpointLost, loadCheckpoint } from '../checkpoint.ts';
import { ownLog } from '../event-source.ts';
import { follow } from '../follow.ts';
import { backoffMs, isOutage, longestOutagePauseMs, pause } from '../outages/backoff.ts';
import { describeError } from '../problem.ts';
import { OpenEvents } from './open-events.ts';
import { reactTo, withEffectId } from './react-to.ts';
import type { Reactor } from './reactor.ts';
import type { ReactorEnvironment } from './reactor-environment.ts';

const pageSize = 500;
/** Backstop for lost wake-ups. */
const pollMs = 1_000;
/** Positions of events without an append are saved this often: repeating them is harmless, and each saving is a commit. */
const saveAfterMs = 1_000;

/** Runs the reactor until the signal aborts; rejects with `CheckpointLost` when another process has taken over. */
export async function runReactor(
  reactor: Reactor,
  environment: ReactorEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { store, sql } = environment;
  const source = reactor.source ?? ownLog(store);
  const failing = new AbortController();
  const stop = AbortSignal.any([signal, failing.signal]);
  const open = new OpenEvents(() => failing.abort());
  const run = new ReactorRun(reactor, environment, stop, open, await loadCheckpoint(sql, reactor.checkpoint));
  try {
    await follow({
      source,
      types: reactor.handles,
      after: run.saved,
      limit: pageSize,
      pollMs,
      restMs: reactor.restMs,
      signal: stop,
      handle: (events, to) => run.handle(events, to),
    });
  } finally {
    failing.abort();
    await open.settled();
    // Saves a successor some work; when there is one already, the checkpoint refuses it.
    await run.save().catch(() => undefined);
  }
  open.throwIfFailed();
}

class ReactorRun {
  /** Where the checkpoint in the database is. */
  saved: number;
  #position: number;
  #savedAt = performance.now();
  readonly #reactor: Reactor;
  readonly #environment: ReactorEnvironment;
  readonly #signal: AbortSignal;
  readonly #open: OpenEvents;

  constructor(
    reactor: Reactor,
    environment: ReactorEnvironment,
    signal: AbortSignal,
    open: OpenEvents,
    position: number,
  ) {
    this.#reactor = reactor;
    this.#environment = environment;
    this.#signal = signal;
    this.#open = open;
    this.saved = position;
    this.#position = position;
  }

  async handle(events: readonly RecordedEvent[], to: number): Promise<void> {
    await this.#prepare(events);
    const { laneOf } = this.#reactor;
    for (const event of events) {
      if (this.#signal.aborted) return;
      if (laneOf) await this.#open.add(event, laneOf(event), () => this.#handleOne(event));
      else await this.#handleOne(event);
      this.#position = event.position;
      await this.#saveNowAndThen();
    }
    this.#position = to;
    await this.#saveNowAndThen();
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

  async #saveNowAndThen(): Promise<void> {
    if (performance.now() - this.#savedAt >= saveAfterMs) await this.save();
  }

  /** Moves the checkpoint to where the work is. */
  async save(): Promise<void> {
    const position = Math.min(this.#position, this.#open.doneUpTo);
    if (position <= this.saved) return;
    await this.#environment.sql.query(advanceCheckpoint(this.#reactor.checkpoint, this.saved, position));
    this.#setSaved(position);
  }

  #setSaved(position: number): void {
    this.saved = position;
    this.#savedAt = performance.now();
  }

  async #handleOne(event: RecordedEvent): Promise<void> {
    const { position, eventId } = event;
    const end = this.#environment.inHand.begin(this.#reactor.checkpoint, { position, eventId });
    try {
      await this.#handleUntilDone(event);
    } finally {
      end();
    }
  }

  async #handleUntilDone(event: RecordedEvent): Promise<void> {
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
    await reactTo(event, this.#reactor, {
      store: this.#environment.store,
      attempt,
      signal: this.#signal,
      append: (request) => this.#append(request, event),
    });
  }

  async #append(request: AppendRequest, event: RecordedEvent): Promise<AppendResult> {
    const { checkpoint, laneOf, name } = this.#reactor;
    const { store } = this.#environment;
    if (laneOf) return store.append(withEffectId(request, event, name));
    const result = await store.append({
      ...request,
      checkpoint: { processor: checkpoint, from: this.saved, to: event.position },
    });
    if (result.kind === 'appended') this.#setSaved(event.position);
    return result;
  }

  async #giveUp(event: RecordedEvent, error: unknown, attempts: number): Promise<void> {
    const { checkpoint, laneOf } = this.#reactor;
    const letter = `insert into es.dead_letters (processor, position, event_id, error, attempts)
      values ($1, $2, $3, $4, $5) on conflict (processor, position) do nothing`;
    const values = [checkpoint, event.position, event.eventId, describeError(error), attempts];
    const { sql } = this.#environment;
    if (laneOf) await sql.query({ text: letter, values });
    else {
      const text = `with letter as (${letter}) select es.advance_checkpoint($1, $6, $2)`;
      await sql.query({ text, values: [...values, this.saved] });
      this.#setSaved(event.position);
    }
    this.#environment.onProblem({ kind: 'dead-letter', processor: checkpoint, error, attempts, event });
  }
}
