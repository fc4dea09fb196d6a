import type { TimerRequest } from '@parley/event-store';
import { z } from 'zod';
import { retentionMs } from '../run/advance/limits.ts';
import type { Run } from '../run/run.ts';

/** Kinds of the timers of runs. */
export const leaseKind = 'run-lease';
export const backoffKind = 'run-backoff';
export const delayKind = 'run-delay';
export const retentionKind = 'run-retention';

/** How long until somebody looks whether the process that works on a run is still alive. */
export const leaseMs = 2_000;

/** The one timer of a run that is under way, whatever it is for: setting one replaces the one before. */
export const runTimerId = (runId: string): string => `run:${runId}`;
export const retentionTimerId = (runId: string): string => `run-retention:${runId}`;

export const leasePayload = z.object({
  run_id: z.uuid(),
  /** Worker id of the process that works on the run. */
  worker: z.string(),
  /** How many events the run had at the last look. */
  events: z.int().default(0),
  /** How often the lease was looked at since then, and how often in a row its worker was not found. */
  looks: z.int(),
  missed: z.int(),
});
type Lease = z.output<typeof leasePayload>;

/** The lease as it counts now: once the run has gone on, looks from before no longer count against its worker. */
export const leaseOn = (lease: Lease, { events }: Run): Lease =>
  lease.events === events ? lease : { ...lease, events, looks: 0, missed: 0 };
export const runPayload = z.object({ run_id: z.uuid() });
export const backoffPayload = z.object({
  run_id: z.uuid(),
  /** How often the backoff was over and no place was free. */
  looks: z.int().default(0),
});
export const delayPayload = z.object({ run_id: z.uuid(), gen: z.int() });

export const leaseTimer = (lease: Lease, afterMs = leaseMs): TimerRequest => ({
  id: runTimerId(lease.run_id),
  kind: leaseKind,
  due: { afterMs },
  payload: lease,
});

export const backoffTimer = (run_id: string, afterMs: number, looks = 0): TimerRequest => ({
  id: runTimerId(run_id),
  kind: backoffKind,
  due: { afterMs },
  payload: { run_id, looks },
});

export const delayTimer = (run_id: string, { until, gen }: NonNullable<Run['pause']>): TimerRequest => ({
  id: runTimerId(run_id),
  kind: delayKind,
  due: { at: until },
  payload: { run_id, gen },
});

interface TimerChange {
  readonly timers?: readonly TimerRequest[];
  readonly cancelTimers?: readonly string[];
}

/**
 * The timers of a run after an append, to be set in its transaction. `leaseFor` is the process whose lease on the run
 * begins; without it a lease stays as it is: when it is due, another process checks whether its holder is alive.
 */
export function timersAfter(run: Run, leaseFor?: string): TimerChange {
  const { runId: run_id } = run;
  const id = runTimerId(run_id);
  switch (run.phase) {
    case 'executing':
      return leaseFor === undefined
        ? {}
        : { timers: [leaseTimer({ run_id, worker: leaseFor, events: run.events, looks: 0, missed: 0 })] };
    case 'backoff':
      return { timers: [backoffTimer(run_id, run.backoffMs)] };
    case 'paused':
      return { timers: [delayTimer(run_id, run.pause ?? { until: run.at, gen: run.gen })] };
    case 'ready':
      return { cancelTimers: [id, retentionTimerId(run_id)] };
    case 'ended': {
      const retention = retentionTimerId(run_id);
      const payload = { run_id };
      return {
        cancelTimers: [id],
        timers: [{ id: retention, kind: retentionKind, due: { afterMs: retentionMs }, payload }],
      };
    }
    default:
      return run.phase satisfies never;
  }
}
