import { createBatchLoader } from '@parley/batching';
import type { RunStatus } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { NIL } from 'uuid';
import { isRunId } from '../run/run.ts';
import { automationsTable } from './automations-view.ts';
import { runItem, runsTable } from './runs-view.ts';

/** The newest runs of an account's automation, as many as `limit`. */
export interface NewestRuns {
  readonly accountId: number;
  readonly automationId: number;
  readonly limit: number;
}

/**
 * The newest runs of an automation, newest first, as the body of the answer; null where the account has no such
 * automation. The lists of one tick come in one statement.
 */
export function createRunLists(sql: SqlExecutor): (wanted: NewestRuns) => Promise<string | null> {
  return createBatchLoader(async (wanted: readonly NewestRuns[]) => {
    const { rows } = await sql.query<{ items: string | null }>({
      name: 'list-runs',
      text: `select case when a.id is not null then coalesce(newest.items, '') end as items
             from unnest($1::int8[], $2::int8[], $3::int4[]) with ordinality w (account_id, automation_id, take, place)
             left join ${automationsTable} a
               on a.id = w.automation_id and a.account_id = w.account_id and not a.is_deleted
             left join lateral (
               select string_agg(${runItem}, ',' order by started_at desc, id desc) as items
               from (
                 select * from ${runsTable} where automation_id = a.id
                 order by started_at desc, id desc limit w.take
               ) r
             ) newest on true
             order by w.place`,
      values: [
        wanted.map(({ accountId }) => accountId),
        wanted.map(({ automationId }) => automationId),
        wanted.map(({ limit }) => limit),
      ],
    });
    return rows.map(({ items }) => (items === null ? null : `{"runs":[${items}]}`));
  });
}

/** A selection of an automation's runs. */
export interface ChosenRuns extends NewestRuns {
  readonly status: RunStatus | undefined;
  /** Id of the run behind which the list begins. */
  readonly before: string | undefined;
}

/** A key that stands before all runs in the order of the list, which is newest first. */
const first = `'infinity'::timestamptz, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/** As constants, so that the indexes of runs that have failed, and of runs that have not ended, are used. */
const conditions: Readonly<Record<RunStatus, string>> = {
  SUCCEEDED: "status = 'SUCCEEDED'",
  FAILED: "status = 'FAILED'",
  PAUSED: "status = 'PAUSED' and phase <> 'ended'",
  RUNNING: "status = 'RUNNING' and phase <> 'ended'",
};

/**
 * The newest runs of a status, behind a given run, as the body of the answer. `unknown` when that run is none of the
 * automation's; null when the account has no such automation.
 */
export async function listChosenRuns(
  sql: SqlExecutor,
  { accountId, automationId, limit, status, before }: ChosenRuns,
): Promise<string | 'unknown' | null> {
  const isWanted = status === undefined ? 'true' : conditions[status];
  const { rows } = await sql.query<{ items: string; is_known: boolean }>({
    name: `list-chosen-runs-${status}-${before === undefined ? 'from-the-first' : 'behind'}`,
    text: `select coalesce(chosen.items, '') as items, $4::uuid is null or b.id is not null as is_known
           from ${automationsTable} a
           left join ${runsTable} b on b.id = $4::uuid and b.automation_id = a.id
           left join lateral (
             select string_agg(${runItem}, ',' order by started_at desc, id desc) as items
             from (
               select * from ${runsTable}
               where automation_id = a.id and ${isWanted}
                 and (started_at, id) < (${before === undefined ? first : 'b.started_at, b.id'})
               order by started_at desc, id desc limit $3
             ) r
           ) chosen on true
           where a.id = $2 and a.account_id = $1 and not a.is_deleted`,
    values: [accountId, automationId, limit, before === undefined || isRunId(before) ? before : NIL],
  });
  const [row] = rows;
  if (!row) return null;
  return row.is_known ? `{"runs":[${row.items}]}` : 'unknown';
}
