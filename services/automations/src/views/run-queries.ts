import type { SqlExecutor } from '@parley/event-store';
import { runsTable } from './runs-view.ts';

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

/** Ids of an account's runs, after `after` in the order of ids. */
export async function runsOfAccount(sql: SqlExecutor, accountId: number, after: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'runs-of-account',
    text: `select id from ${runsTable} where account_id = $1 and id > $2 order by id limit 200`,
    values: [accountId, after],
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
