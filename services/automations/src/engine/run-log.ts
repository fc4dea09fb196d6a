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

/** A run as it stands in the log. */
export interface LoadedRun {
  readonly run: Run;
  readonly version: number;
  readonly accountId: number;
  /** Of what triggered it; everything the run causes carries it. */
  readonly correlationId: string;
  /** That of its start, or where a deeper run had it retried, of that one. */
  readonly chainDepth: number;
  /** The event by which its newest attempt began: what the attempt does, anywhere, is caused by it. Null before the first. */
  readonly attemptId: string | null;
  /** Its last event is of another installation: nothing has been done for it here. */
  readonly isImported: boolean;
  /** It began in another installation, where its payloads are. */
  readonly beganElsewhere: boolean;
}

export type Effects = Pick<AppendRequest, 'timers' | 'cancelTimers' | 'command' | 'metadata'>;

/** The streams of runs. The version of the stream is the fence: whoever lost a run finds its append refused. */
export class RunLog {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** As it was at a moment, now when there is none; undefined when there was no such run. */
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

  /** What it was loaded from. */
  historyOf({ run: { runId }, version }: LoadedRun): Promise<readonly RecordedEvent[]> {
    return this.#store.readStream(runStream(runId), { toVersion: version });
  }

  /** The append of what was decided on `loaded`. */
  request(loaded: LoadedRun, progress: Progress, effects: Effects): AppendRequest {
    return {
      streamId: runStream(loaded.run.runId),
      category: runCategory,
      accountId: loaded.accountId,
      expectedVersion: loaded.version,
      // Known in advance: nobody may know whether the append was written, and what a step causes names its start.
      events: progress.events.map((event) => ({ ...event, eventId: newEventId() })),
      ...effects,
    };
  }

  /** Appends, through any outage; false when the run has gone on without us. */
  async commit(request: AppendRequest, signal: AbortSignal): Promise<boolean> {
    let mayBeWritten = false;
    return throughOutages(signal, async () => {
      try {
        const result = await this.#store.append(request);
        if (result.kind === 'appended') return true;
      } catch (error) {
        mayBeWritten = true;
        throw error;
      }
      return mayBeWritten && (await this.#isWritten(request));
    });
  }

  async #isWritten({ streamId, expectedVersion, events }: AppendRequest): Promise<boolean> {
    if (expectedVersion === 'any') return false;
    const fromVersion = expectedVersion + 1;
    const [written] = await this.#store.readStream(streamId, { fromVersion, toVersion: fromVersion });
    return written !== undefined && written.eventId === events[0]?.eventId;
  }
}

/** For what is decided about a run without a look at what it works on; `now` in milliseconds. */
export const progressWithoutMemory = ({ run: state }: LoadedRun, now: number): Progress =>
  new Progress(state, { trigger: null, outputs: new Map() }, { now, newRef: newEventId, chance: () => 0 });

/** After `progress` was appended by `request`. */
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

export const metadataOf = ({ run: { automationId, runId }, correlationId }: LoadedRun): EventMetadata => ({
  correlationId,
  causationId: runId,
  commandId: null,
  actor: { kind: 'automation', id: String(automationId) },
});
