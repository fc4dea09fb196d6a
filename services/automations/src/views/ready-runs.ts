import { forLookUps, onOneConnection, type SqlExecutor, sessionSilenceMs } from '@parley/event-store';
import { withHeartbeats } from '@parley/processing';
import type pg from 'pg';
import type { ReadyRun, ReadyRuns } from '../engine/ready-runs.ts';
import { runsTable } from './runs-view.ts';

const busy = (automationId: string): string => `
  select count(*) as busy from ${runsTable} where automation_id = ${automationId} and phase in ('executing', 'backoff')`;

/**
 * SQL that chooses ready runs. `groups` jumps from one (account, automation) with ready runs to the next through the
 * index, however many runs each has. Each automation gets as many as it still may have under way, and accounts take
 * turns. The lock lets one process at a time claim runs of an automation. Excluded runs (`$5`) are found by a hash,
 * since they may be thousands.
 */
export const claimText = `
  with recursive groups as (
    (select account_id, automation_id from ${runsTable} where phase = 'ready'
     order by account_id, automation_id limit 1)
    union all
    select n.account_id, n.automation_id from groups g cross join lateral (
      select r.account_id, r.automation_id from ${runsTable} r
      where r.phase = 'ready' and (r.account_id, r.automation_id) > (g.account_id, g.automation_id)
      order by r.account_id, r.automation_id limit 1
    ) n
  ), candidates as (
    select c.id, c.account_id, c.automation_id, c.phase_position,
           row_number() over (partition by c.account_id order by c.phase_position) as turn
    from groups g cross join lateral (${busy('g.automation_id')}) l cross join lateral (
      select r.id, r.account_id, r.automation_id, r.phase_position, r.max_concurrent_runs,
             row_number() over (order by r.phase_position) as place
      from ${runsTable} r
      where r.phase = 'ready' and r.account_id = g.account_id and r.automation_id = g.automation_id
        and r.id not in (select unnest($5::uuid[]))
      order by r.phase_position limit $1
    ) c
    where c.place <= c.max_concurrent_runs - l.busy
  ), first as materialized (
    select c.id, c.automation_id from candidates c
    left join unnest($2::int8[], $3::int4[]) t (account_id, taken) on t.account_id = c.account_id
    where c.turn <= $4 - coalesce(t.taken, 0)
    order by c.turn, c.phase_position limit $1
  )
  select id from first where pg_try_advisory_xact_lock(hashtextextended('runs-of:' || automation_id, 0))`;

/**
 * Checks the limits again under the lock: what another process has claimed before is seen only by a statement that
 * begins after it.
 */
const admitText = `
  select c.id as "runId", c.account_id as "accountId" from (
    select id, account_id, automation_id, max_concurrent_runs, phase_position,
           row_number() over (partition by automation_id order by phase_position) as place
    from ${runsTable} where id = any($1::uuid[]) and phase = 'ready'
  ) c join (
    select automation_id, busy from (
      select distinct automation_id from ${runsTable} where id = any($1::uuid[])
    ) a cross join lateral (${busy('a.automation_id')}) l
  ) b using (automation_id)
  where c.place <= c.max_concurrent_runs - b.busy
  order by c.phase_position`;

async function isAnyReady(sql: SqlExecutor): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'any-ready-run',
    text: `select from ${runsTable} where phase = 'ready' limit 1`,
  });
  return rowCount === 1;
}

/**
 * If this process hangs or is cut off, its transaction is soon ended and its runs are left to others; while work takes
 * long, heartbeats keep it.
 */
const begin = `begin; set local idle_in_transaction_session_timeout = ${sessionSilenceMs}`;

/** The ready runs, as the view has them. */
export const createReadyRuns = (pool: pg.Pool): ReadyRuns => ({
  async claim({ limit, maxPerAccount, taken, except }, work) {
    // Most often no run is ready, and finding that takes no transaction.
    if (!(await isAnyReady(forLookUps(pool)))) return;
    await onOneConnection(pool, async (sql) => {
      await sql.query({ text: begin });
      const found = await sql.query<{ id: string }>({
        name: 'claim-ready-runs',
        text: claimText,
        values: [limit, [...taken.keys()], [...taken.values()], maxPerAccount, except],
      });
      if (found.rows.length > 0) {
        const { rows } = await sql.query<ReadyRun>({
          name: 'admit-ready-runs',
          text: admitText,
          values: [found.rows.map(({ id }) => id)],
        });
        if (rows.length > 0) await withHeartbeats(sql, () => work(rows));
      }
      await sql.query({ text: 'commit' });
    });
  },
});
