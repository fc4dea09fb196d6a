import { newEventId } from '@parley/event-store';
import type { Logger } from '@parley/process-kit';
import { throughOutages } from '@parley/processing';
import { LRUCache } from 'lru-cache';
import type { CompiledDefinition } from '../definition/compiled.ts';
import { advance, type Work } from '../run/advance/advance.ts';
import {
  automationDeleted,
  automationStopped,
  definitionGone,
  endRun,
  payloadsGone,
  undecidable,
} from '../run/advance/end-run.ts';
import { settle } from '../run/advance/settle.ts';
import { Progress, type RunMemory } from '../run/progress.ts';
import type { StepFault } from '../run/step-class.ts';
import { timersAfter } from '../timers/run-timers.ts';
import { type Performed, performAction } from './perform-action.ts';
import type { AutomationStanding, Connections, Definitions } from './ports.ts';
import type { ReadyRun } from './ready-runs.ts';
import { afterwards, type LoadedRun, metadataOf, type RunLog } from './run-log.ts';
import type { RunMemories } from './run-memory.ts';
import type { Place, Slots } from './slots.ts';

/** What the engine works with. */
export interface EngineParts {
  readonly log: RunLog;
  readonly memories: RunMemories;
  readonly definitions: Definitions;
  readonly connections: Connections;
  readonly slots: Slots;
  /** The worker id of this process. */
  readonly worker: string;
  /** The time on the platform clock. */
  readonly now: () => Promise<Date>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** A run in this process's hands, ready for its next append. */
export interface Held {
  readonly loaded: LoadedRun;
  readonly definition: CompiledDefinition;
  readonly memory: RunMemory;
}

/** How many attempts are remembered whose start this process asked for and did not hear of; most were never written. */
const maxAwaited = 10_000;

/**
 * Carries runs through their steps, with one append for each step: the outcome of one together with the start of the
 * next. Only the process that appended a step's start may carry it out; the stream's expected version makes that one
 * process.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #driven = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  /** By attempt id. An entry may be dropped: the attempt is then taken over, as one that may have begun. */
  readonly #awaited = new LRUCache<string, true>({ max: maxAwaited });

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  get worker(): string {
    return this.#parts.worker;
  }

  /** Whether this process works on the run. */
  isDriving(runId: string): boolean {
    return this.#driven.has(runId);
  }

  /**
   * Starts working on a ready run. True once its next step's start, its pause or its end is on record, and also where
   * it needs more places than are free: it stays ready and is found again later. False when another process was first, or
   * it could not be begun.
   */
  claim({ runId, accountId }: ReadyRun): Promise<boolean> {
    return new Promise((resolve) => {
      this.#hold(runId, this.#parts.slots.take(accountId), (place) =>
        this.#begin(runId, place, () => resolve(true)).finally(() => resolve(false)),
      );
    });
  }

  /** Remembers that this process is to begin the attempt as soon as its start is known to be on record. */
  awaitStartOf({ attemptId }: LoadedRun): void {
    if (attemptId !== null) this.#awaited.set(attemptId, true);
  }

  /** Whether this process asked for the start of the attempt and has not begun it yet. */
  isAwaiting({ attemptId }: LoadedRun): boolean {
    return attemptId !== null && this.#awaited.has(attemptId);
  }

  /** Begins an awaited attempt, now that its start is on record; a second call for the same attempt does nothing. */
  carryOn(held: Held, work: Work): void {
    const { run, accountId, attemptId } = held.loaded;
    if (attemptId === null || !this.#awaited.delete(attemptId)) return;
    const place = this.#parts.slots.take(accountId, run);
    this.#hold(run.runId, place, () => this.#drive(held, work, place));
  }

  /**
   * Loads the definition and the payloads that the run needs to go on; `fault` is why it has to end instead, if
   * anything.
   */
  async prepare(loaded: LoadedRun) {
    const { definitions, memories } = this.#parts;
    const { automationId, version } = loaded.run;
    const [standing, definition, memory] = await Promise.all([
      definitions.standing(automationId),
      definitions.load(automationId, version),
      memories.of(loaded),
    ]);
    return { definition, memory, fault: faultOf(loaded, { standing, definition, memory }) };
  }

  /** The version of the automation that the run follows; undefined when it is gone. */
  definitionOf({ run: { automationId, version } }: LoadedRun): Promise<CompiledDefinition | undefined> {
    return this.#parts.definitions.load(automationId, version);
  }

  /** A decision on the run that begins now; `memory` is undefined for decisions that read no payloads. */
  async progressOf({ run }: LoadedRun, memory: RunMemory | undefined): Promise<Progress> {
    const now = (await this.#parts.now()).getTime();
    const circumstances = { now, newRef: newEventId, chance: Math.random };
    return new Progress(run, memory ?? { trigger: null, outputs: new Map() }, circumstances);
  }

  /**
   * Runs take no further step; resolves when those under way have ended, or after `graceMs`. To be called once nobody
   * claims runs or fires timers any more.
   */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort();
    const running = Promise.allSettled(this.#driven.values());
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
  }

  #hold(runId: string, place: Place, work: (place: Place) => Promise<void>): void {
    const { logger } = this.#parts;
    const running: Promise<void> = work(place)
      // The lease runs out, and its timer has a process take the run over.
      .catch((error: unknown) => logger.error({ err: error, runId }, 'a run was let go'))
      .finally(() => {
        place.giveBack();
        // A process that has lost the run notices late, and may have claimed it again meanwhile.
        if (this.#driven.get(runId) === running) this.#driven.delete(runId);
      });
    this.#driven.set(runId, running);
  }

  async #begin(runId: string, place: Place, onClaimed: () => void): Promise<void> {
    const { log } = this.#parts;
    const loaded = await log.load(runId);
    // More of an imported run may still arrive, so nothing is appended to it. A timer ends it later
    // (`endImportedRuns`).
    if (loaded?.run.phase !== 'ready' || loaded.isImported) return;
    if (!place.makeRoomFor(loaded.run)) return onClaimed();
    const { definition, memory, fault } = await this.prepare(loaded);
    const progress = await this.progressOf(loaded, memory);
    if (fault || !definition || !memory) {
      endRun(progress, fault ?? definitionGone, definition);
      if (await this.#commit(loaded, progress)) onClaimed();
      return;
    }
    const first = this.#advance(progress, definition);
    const work = await this.#withoutEffects(progress, definition, loaded, place, first);
    const next = await this.#commit(loaded, progress, this.worker);
    if (next) onClaimed();
    if (next && work) await this.#drive({ loaded: next, definition, memory: progress.memory }, work, place);
  }

  #perform(loaded: LoadedRun, definition: CompiledDefinition, work: Work): Promise<Performed> {
    const { connections } = this.#parts;
    return performAction({ connections, closing: this.#closing.signal }, loaded, definition, work);
  }

  async #drive(held: Held, first: Work, place: Place): Promise<void> {
    const { definition } = held;
    let { loaded, memory } = held;
    let work: Work | undefined = first;
    while (work) {
      const { outcome, ms } = await this.#perform(loaded, definition, work);
      const progress = await throughOutages(this.#closing.signal, () => this.progressOf(loaded, memory));
      settle(progress, work.step, outcome, ms);
      work = this.#goOn(progress, definition, place);
      work = await this.#withoutEffects(progress, definition, loaded, place, work);
      // The lease timer of this process's first append still stands.
      const next = await this.#commit(loaded, progress);
      if (!next) return;
      ({ memory } = progress);
      loaded = next;
    }
  }

  /**
   * Carries out `pure` actions before anything is appended: if the append is lost, nothing has happened. Returns the
   * next action that has an effect, if any; its start has to be on record before it begins.
   */
  async #withoutEffects(
    progress: Progress,
    definition: CompiledDefinition,
    loaded: LoadedRun,
    place: Place,
    first: Work | undefined,
  ): Promise<Work | undefined> {
    let work = first;
    while (work?.step.action.effect === 'pure') {
      const started = { ...loaded, run: progress.run };
      const { outcome, ms } = await this.#perform(started, definition, work);
      settle(progress, work.step, outcome, ms);
      work = this.#goOn(progress, definition, place);
    }
    return work;
  }

  /**
   * Decides what follows a settled step. Undefined, which leaves the run ready, where this process is stopping or has
   * no room for what the run's payloads take by now.
   */
  #goOn(progress: Progress, definition: CompiledDefinition, place: Place): Work | undefined {
    if (this.#closing.signal.aborted || !place.makeRoomFor(progress.run)) return undefined;
    return this.#advance(progress, definition);
  }

  /**
   * `advance`, but a decision that throws ends the run: left ready, it would be claimed and let go for ever, before all
   * others.
   */
  #advance(progress: Progress, definition: CompiledDefinition): Work | undefined {
    try {
      return advance(progress, definition);
    } catch (error) {
      this.#parts.logger.error({ err: error, runId: progress.run.runId }, 'a run cannot go on');
      endRun(progress, undecidable, definition);
      return undefined;
    }
  }

  /**
   * Keeps the new payloads, then appends. Returns the run as it is afterwards; undefined when there was nothing to
   * append, or another process appended first, which discards the payloads.
   */
  async #commit(loaded: LoadedRun, progress: Progress, leaseFor?: string): Promise<LoadedRun | undefined> {
    const { log, memories } = this.#parts;
    if (progress.events.length === 0) return undefined;
    await throughOutages(this.#closing.signal, () => memories.keep(loaded, progress.payloads));
    const effects = { metadata: metadataOf(loaded), ...timersAfter(progress.run, leaseFor) };
    const request = log.request(loaded, progress, effects);
    if (await log.commit(request, this.#closing.signal)) return afterwards(loaded, progress, request);
    await throughOutages(this.#closing.signal, () => memories.discard(progress.payloads));
    return undefined;
  }
}

interface Found {
  readonly standing: AutomationStanding | undefined;
  readonly definition: CompiledDefinition | undefined;
  readonly memory: RunMemory | undefined;
}

function faultOf({ run }: LoadedRun, { standing, definition, memory }: Found): StepFault | undefined {
  if (!standing || standing.status === 'deleted') return automationDeleted;
  if (!definition) return definitionGone;
  // The run started while those of the automation were being stopped. A retry under an inactive automation goes on.
  const isStopped = standing.status === 'inactive' && definition.settings.onDeactivate === 'stop';
  if (isStopped && run.epoch === 0) return automationStopped;
  return memory ? undefined : payloadsGone;
}
