import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { automationsTable } from './automations-view.ts';
import { runItem, runsTable } from './runs-view.ts';

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
