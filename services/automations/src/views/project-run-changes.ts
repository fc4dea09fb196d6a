import type { ProjectionDb } from '@parley/processing';
import type { RunChange } from './net-run-changes.ts';

/** Writes the changes of a batch: a new row is inserted as the batch leaves it. */
export function projectRunChanges(changes: readonly RunChange[], db: ProjectionDb): void {
  insert(
    changes.filter(({ created }) => created),
    db,
  );
  update(
    changes.filter(({ created }) => !created),
    db,
  );
}

function insert(changes: readonly RunChange[], db: ProjectionDb): void {
  if (changes.length === 0) return;
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.runs (id, automation_id, account_id, status, phase, phase_position,
             max_concurrent_runs, started_at, start_time, active_ms, active_since)
           select id, automation_id, account_id, status, phase, position, max_concurrent_runs, start_time::timestamptz,
             start_time, active_ms, active_since
           from unnest($1::uuid[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::int8[], $7::int4[],
             $8::text[], $9::int8[], $10::timestamptz[]) c (id, automation_id, account_id, status, phase, position,
             max_concurrent_runs, start_time, active_ms, active_since)`,
    values: [
      changes.map(({ id }) => id),
      changes.map(({ created }) => created?.automationId),
      changes.map(({ created }) => created?.accountId),
      changes.map(({ status }) => status),
      changes.map(({ phase }) => phase),
      changes.map(({ position }) => position),
      changes.map(({ created }) => created?.maxConcurrentRuns),
      changes.map(({ created }) => created?.startedAt),
      changes.map(({ activeMs }) => activeMs),
      changes.map(({ activeSince }) => activeSince),
    ],
  });
}

function update(changes: readonly RunChange[], db: ProjectionDb): void {
  if (changes.length === 0) return;
  db.query({
    name: 'update',
    // The row of a run that only goes from one step to the next is not written: it would stay as it is.
    text: `update ${db.schema}.runs r set
             status = coalesce(c.status, r.status),
             phase = c.phase,
             phase_position = c.position,
             active_ms = r.active_ms + c.active_ms + case when c.stopped_at is null or r.active_since is null then 0
               else greatest(0, round(extract(epoch from c.stopped_at - r.active_since) * 1000)) end,
             active_since = case when c.says_active then c.active_since else r.active_since end
           from unnest($1::uuid[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::timestamptz[], $7::bool[],
             $8::timestamptz[]) c (id, status, phase, position, active_ms, stopped_at, says_active, active_since)
           where r.id = c.id and (c.status is not null or c.says_active or r.phase <> c.phase)`,
    values: [
      changes.map(({ id }) => id),
      changes.map(({ status }) => status),
      changes.map(({ phase }) => phase),
      changes.map(({ position }) => position),
      changes.map(({ activeMs }) => activeMs),
      changes.map(({ stoppedAt }) => stoppedAt),
      changes.map(({ activeSince }) => activeSince !== undefined),
      changes.map(({ activeSince }) => activeSince ?? null),
    ],
  });
}
