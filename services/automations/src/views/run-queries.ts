import type { listAutomationRuns, OperationSuccess } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { durationMs } from '../run/render.ts';
import { runsTable } from './runs-view.ts';

type Summary = Extract<OperationSuccess<typeof listAutomationRuns>, { runs: unknown }>['runs'][number];

interface Row {
  readonly id: string;
  readonly status: Summary['status'];
  readonly started_at: Date;
  readonly active_ms: number;
  readonly active_since: Date | null;
  readonly now: Date;
}

/** The newest runs of an automation, newest first. */
export async function newestRuns(sql: SqlExecutor, automationId: number, limit: number): Promise<Summary[]> {
  const { rows } = await sql.query<Row>({
    name: 'newest-runs',
    text: `select id, status, started_at, active_ms, active_since, es.now() as now from ${runsTable}
           where automation_id = $1 order by started_at desc, id desc limit $2`,
    values: [automationId, limit],
  });
  return rows.map(({ id, status, started_at, active_ms, active_since, now }) => ({
    id,
    status,
    start_time: started_at.toISOString(),
    duration_ms: durationMs(
      { activeMs: active_ms, activeSince: active_since?.toISOString() ?? null },
      now.getTime(),
    ),
  }));
}

/** Ids of the newest runs of an automation that had begun at a moment, newest first. */
export async function runsStartedBy(
  sql: SqlExecutor,
  automationId: number,
  at: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'runs-started-by',
    text: `select id from ${runsTable} where automation_id = $1 and started_at <= $2
           order by started_at desc, id desc limit $3`,
    values: [automationId, at, limit],
  });
  return rows.map(({ id }) => id);
}

/** Ids of runs of an automation that have not ended, after `after` in the order of ids. */
export async function openRuns(sql: SqlExecutor, automationId: number, after: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'open-runs',
    text: `select id from ${runsTable} where automation_id = $1 and phase <> 'ended' and id > $2
           order by id limit 200`,
    values: [automationId, after],
  });
  return rows.map(({ id }) => id);
}
