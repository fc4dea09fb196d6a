import type { RunEvent } from '@parley/contracts';
import {
  type AppendRequest,
  type EventMetadata,
  type EventStore,
  happenedBy,
  type Moment,
  type NewEvent,
  newEventId,
  type RecordedEvent,
} from '@parley/event-store';
import { throughOutages } from '@parley/processing';
import { run } from '../run/fold-run.ts';
import { Progress } from '../run/progress.ts';
import { type Run, type RunState, runCategory, runStream } from '../run/run.ts';

/** A run folded from its stream, with what the metadata of its events tells. */
export interface LoadedRun {
  readonly run: Run;
  readonly version: number;
  readonly accountId: number;
  /** Correlation id of its trigger; everything that the run causes carries it. */
  readonly correlationId: string;
  /** Chain depth of its start, or of the run that had it retried last, whichever is more. */
  readonly chainDepth: number;
  /** Event id of its newest `StepStarted`, which is the cause of all that the attempt does. Null before the first. */
  readonly attemptId: string | null;
  /** Whether its last event came with an import: nothing has been done for the run in this installation yet. */
  readonly isImported: boolean;
  /** Whether it began in another installation, where its payloads have stayed. */
  readonly beganElsewhere: boolean;
}

/** What an append carries beside the events of the run. */
export type Effects = Pick<AppendRequest, 'timers' | 'cancelTimers' | 'command' | 'metadata'>;

/**
 * Reads and appends to the streams of runs. The expected version is the fence: a process that has lost a run finds its
 * append refused.
 */
export class RunLog {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** The run as it is, or was at `moment`; undefined when there was none. */
  async load(runId: string, moment: Moment = {}): Promise<LoadedRun | undefined> {
    const recorded = await this.#store.readStream(runStream(runId));
    const events = recorded.filter(happenedBy(moment));
    let state: RunState = run.initialState;
    // The stream holds a run's events; types that are not known are left alone by the fold.
    for (const event of events) state = run.evolve(state, event as unknown as RunEvent);
    const [first] = events;
    if (!state || !first || first.accountId === null) return undefined;
    const { accountId, metadata } = first;
    const { correlationId } = metadata;
    return {
      run: state,
      version: events.length,
      accountId,
      correlationId,
      chainDepth: Math.max(state.chainDepth, retryDepthOf(events)),
      attemptId: attemptOf(events),
      isImported: events.at(-1)?.metadata.imported ?? false,
      beganElsewhere: metadata.imported ?? false,
    };
  }

  /** The events that `loaded` was folded from. */
  historyOf({ run: { runId }, version }: LoadedRun): Promise<readonly RecordedEvent[]> {
    return this.#store.readStream(runStream(runId), { toVersion: version });
  }

  /** The append of what was decided on `loaded`, at its version. */
  request(loaded: LoadedRun, progress: Progress, effects: Effects): AppendRequest {
    return {
      streamId: runStream(loaded.run.runId),
      category: runCategory,
      accountId: loaded.accountId,
      expectedVersion: loaded.version,
      // Ids are made here: an append whose answer was lost is recognised by them, and effects name the start of their
      // step.
      events: progress.events.map((event) => ({ ...event, eventId: newEventId() })),
      ...effects,
    };
  }

  /** Appends, trying again through any outage of the database; false when another process appended to the run first. */
  async commit(request: AppendRequest, signal: AbortSignal): Promise<boolean> {
    return throughOutages(signal, async () => {
      const { kind } = await this.#store.append(request);
      // An earlier try may have been written, though nobody was told.
      return kind === 'appended' || (await this.#isWritten(request));
    });
  }

  async #isWritten({ streamId, expectedVersion, events }: AppendRequest): Promise<boolean> {
    if (expectedVersion === 'any') return false;
    const fromVersion = expectedVersion + 1;
    const [written] = await this.#store.readStream(streamId, { fromVersion, toVersion: fromVersion });
    return written !== undefined && written.eventId === events[0]?.eventId;
  }
}

/** For decisions on a run that read none of its payloads; `now` in milliseconds since the epoch. */
export const progressWithoutMemory = ({ run: state }: LoadedRun, now: number): Progress =>
  new Progress(state, { trigger: null, outputs: new Map() }, { now, newRef: newEventId, chance: () => 0 });

/** The run as it is after `request`, the append of `progress`. */
export const afterwards = (
  loaded: LoadedRun,
  progress: Progress,
  { events }: Pick<AppendRequest, 'events'>,
): LoadedRun => ({
  ...loaded,
  run: progress.run,
  version: loaded.version + events.length,
  attemptId: attemptOf(events) ?? loaded.attemptId,
  isImported: false,
});

const retryDepthOf = (events: readonly RecordedEvent[]): number =>
  events.findLast(({ type }) => type === 'RunRetried')?.metadata.chainDepth ?? 0;

const attemptOf = (events: readonly Pick<NewEvent, 'type' | 'eventId'>[]): string | null =>
  events.findLast(({ type }) => type === 'StepStarted')?.eventId ?? null;

/** Metadata of the events of a run: in the trace of its trigger, with its automation as the actor. */
export const metadataOf = ({ run: { automationId, runId }, correlationId }: LoadedRun): EventMetadata => ({
  correlationId,
  causationId: runId,
  commandId: null,
  actor: { kind: 'automation', id: String(automationId) },
});
