import type { RunEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { RunPhase } from '../run/run.ts';

type Recorded = RecordedEvent & RunEvent;

interface NewRun {
  readonly id: string;
  readonly automationId: number;
  readonly accountId: number | null;
  readonly maxConcurrentRuns: number;
  readonly startedAt: string;
}

/** What a batch of events comes to for one run. */
export interface RunChange {
  readonly id: string;
  /** Present when the run began in this batch. */
  readonly created?: NewRun;
  readonly status: string | null;
  readonly phase: RunPhase;
  readonly position: number;
  /** When an active interval ended that had begun before this batch, ISO 8601; null when none did. */
  readonly stoppedAt: string | null;
  /** Milliseconds of intervals that began and ended within this batch. */
  readonly activeMs: number;
  /**
   * When the active interval began that goes on, ISO 8601; null when none does, undefined when the batch says nothing
   * about it.
   */
  readonly activeSince: string | null | undefined;
}

const runIdOfStream = (streamId: string): string => streamId.slice('run-'.length);

/** One change per run, however many events a batch holds about it. */
export function netRunChanges(events: readonly Recorded[]): RunChange[] {
  const changes = new Map<string, RunChange>();
  for (const event of events) {
    const id = runIdOfStream(event.streamId);
    const known = changes.get(id) ?? untouched(id, event.position);
    changes.set(id, { ...known, ...apply(known, event), position: event.position });
  }
  return [...changes.values()];
}

const untouched = (id: string, position: number): RunChange => ({
  id,
  status: null,
  phase: 'ready',
  position,
  stoppedAt: null,
  activeMs: 0,
  activeSince: undefined,
});

function apply(known: RunChange, event: Recorded): Partial<RunChange> {
  switch (event.type) {
    case 'RunStarted':
      return {
        created: {
          id: known.id,
          automationId: event.data.automation_id,
          accountId: event.accountId,
          maxConcurrentRuns: event.data.settings.max_concurrent_runs,
          startedAt: event.data.at,
        },
        status: 'RUNNING',
        phase: 'ready',
        activeSince: event.data.at,
      };
    case 'StepStarted':
      return { phase: 'executing' };
    case 'StepSucceeded':
      return { phase: 'ready' };
    case 'StepRetryScheduled':
      return { phase: 'backoff' };
    case 'RunPaused':
      return { status: 'PAUSED', phase: 'paused', ...stopped(known, event.data.at) };
    case 'RunFailed':
      return { status: 'FAILED', phase: 'ended', ...stopped(known, event.data.at) };
    case 'RunSucceeded':
      return { status: 'SUCCEEDED', phase: 'ended', ...stopped(known, event.data.at) };
    case 'RunResumed':
    case 'RunRetried':
      return { status: 'RUNNING', phase: 'ready', activeSince: event.data.at };
    default:
      return {};
  }
}

/** Ends the active interval at `at`, whether it began in this batch or before. */
function stopped({ activeSince, activeMs }: RunChange, at: string): Partial<RunChange> {
  if (activeSince === undefined) return { stoppedAt: at, activeSince: null };
  if (activeSince === null) return {};
  const ms = Math.max(0, Date.parse(at) - Date.parse(activeSince));
  return { activeMs: activeMs + ms, activeSince: null };
}
