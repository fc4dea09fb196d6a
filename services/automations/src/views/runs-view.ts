import type { RunEvent } from '@parley/contracts';
import { defineProjection, liveSchema } from '@parley/processing';
import { netRunChanges } from './net-run-changes.ts';
import { projectRunChanges } from './project-run-changes.ts';

const itemWith = (durationMs: string): string =>
  `'{"id":"' || id::text || '","status":"' || status || '","start_time":"' || start_time
    || '","duration_ms":' || (${durationMs})::text || '}'`;

/** One row per run, for lists and for choosing the runs that may begin. */
export const runsView = defineProjection<RunEvent>({
  name: 'runs',
  version: 3,
  handles: [
    'RunStarted',
    'StepStarted',
    'StepSucceeded',
    'StepRetryScheduled',
    'RunPaused',
    'RunResumed',
    'RunFailed',
    'RunSucceeded',
    'RunRetried',
  ],
  tables: (schema) => `
    create table ${schema}.runs (
      id uuid primary key,
      automation_id int8 not null,
      account_id int8 not null,
      status text not null,
      phase text not null,
      /** Where in the log it became so; whoever waits longest is first. */
      phase_position int8 not null,
      max_concurrent_runs int4 not null,
      started_at timestamptz not null,
      start_time text not null,
      active_ms int8 not null,
      active_since timestamptz,
      /** Null while its duration grows. */
      rendered text generated always as (case when active_since is null then ${itemWith('active_ms')} end) stored
    ) with (fillfactor = 70);
    create index runs_newest_first on ${schema}.runs (automation_id, started_at desc, id desc);
    create index runs_failed on ${schema}.runs (automation_id, started_at desc, id desc) where status = 'FAILED';
    create index runs_ready on ${schema}.runs (account_id, automation_id, phase_position) where phase = 'ready';
    create index runs_busy on ${schema}.runs (automation_id) where phase in ('executing', 'backoff');
    create index runs_open on ${schema}.runs (automation_id, id) where phase <> 'ended';
  `,
  project(events, db) {
    projectRunChanges(netRunChanges(events), db);
  },
});

/** SQL expression for a run as lists show it, over the columns of its row; `summarise` has the same fields. */
export const runItem = `coalesce(rendered, ${itemWith('active_ms + greatest(0, floor(extract(epoch from es.now() - active_since) * 1000))::int8')})`;

export const runsTable = `${liveSchema(runsView)}.runs`;
