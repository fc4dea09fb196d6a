import type { SqlExecutor } from '@parley/event-store';
import { NIL } from 'uuid';
import { automationsTable } from './automations-view.ts';
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

/**
 * Ids of all of an account's runs, one automation after the other, the oldest first; runs that begin meanwhile are
 * included.
 */
export async function* runsOfAccount(sql: SqlExecutor, accountId: number): AsyncGenerator<string> {
  const automations = await sql.query<{ id: number }>({
    name: 'automations-of-account',
    text: `select id from ${automationsTable} where account_id = $1`,
    values: [accountId],
  });
  for (const { id: automationId } of automations.rows)
    for (let last = { id: NIL, startedAt: '-infinity' }; ; ) {
      const { rows } = await sql.query<typeof last>({
        name: 'runs-of-automation',
        text: `select id, started_at::text as "startedAt" from ${runsTable}
               where automation_id = $1 and (started_at, id) > ($2::timestamptz, $3::uuid)
               order by started_at, id limit 200`,
        values: [automationId, last.startedAt, last.id],
      });
      const newest = rows.at(-1);
      if (!newest) break;
      for (const { id } of rows) yield id;
      last = newest;
    }
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
