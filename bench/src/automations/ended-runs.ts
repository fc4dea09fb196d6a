/** SQL expressions over the rows of `from`, which have a number `n`. */
interface EndedRuns {
  readonly id: string;
  readonly automationId: string;
  readonly accountId: string;
  readonly startedAt: string;
  readonly from: string;
}

export const runsTable = 'view_runs_v3.runs';

/** Puts runs that have ended into the view by one statement. */
export const insertEndedRuns = ({ id, automationId, accountId, startedAt, from }: EndedRuns): string => `
  insert into ${runsTable} (id, automation_id, account_id, status, phase, phase_position, max_concurrent_runs,
    started_at, start_time, active_ms)
  select ${id}, ${automationId}, ${accountId}, 'SUCCEEDED', 'ended', n, 50, ${startedAt},
    to_char((${startedAt}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 12
  from ${from}`;
