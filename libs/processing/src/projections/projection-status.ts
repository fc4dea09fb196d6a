import type { SqlExecutor, SqlQuery } from '@parley/event-store';
import { liveSchema, type Projection } from './projection.ts';

export type ProjectionStatus = 'live' | 'rebuilding' | 'verifying' | 'failed';

/** Held by whoever rebuilds or verifies: one at a time for each projection, over all copies. */
export const shadowLock = (projection: Projection): string => `projection-shadow:${projection.name}`;
/** Held by whoever makes the live tables, so that copies that start together do it once. */
export const prepareLock = (projection: Projection): string => `projection-prepare:${projection.checkpoint}`;

/** Makes or renews the row that operators see; an older version leaves a newer one's alone. */
export const registerProjection = (projection: Projection): SqlQuery => ({
  text: `insert into es.projections (name, version, schema_name) values ($1, $2, $3)
         on conflict (name) do update set
           version = excluded.version, schema_name = excluded.schema_name, status = 'live', error = null,
           progress = null, updated_at = now()
         where es.projections.version < excluded.version`,
  values: [projection.name, projection.version, liveSchema(projection)],
});

export const setStatus = (
  projection: Projection,
  status: ProjectionStatus,
  detail: { readonly progress?: number; readonly error?: string } = {},
): SqlQuery => ({
  name: 'processing-set-projection-status',
  text: `update es.projections set status = $3, progress = $4, error = $5, updated_at = now()
         where name = $1 and version = $2`,
  values: [projection.name, projection.version, status, detail.progress ?? null, detail.error ?? null],
});

/** As `setStatus`, in the row of whichever version is there: to be called by who holds `shadowLock`, which is for all. */
export const takeStatus = (
  projection: Projection,
  status: ProjectionStatus,
  progress: number | null,
): SqlQuery => ({
  text: `insert into es.projections (name, version, schema_name, status, progress) values ($1, $2, $3, $4, $5)
         on conflict (name) do update set
           version = excluded.version, schema_name = excluded.schema_name, status = excluded.status, error = null,
           progress = excluded.progress, updated_at = now()`,
  values: [projection.name, projection.version, liveSchema(projection), status, progress],
});

export interface ListedProjection {
  readonly name: string;
  readonly version: number;
  /** The last position its rows show. */
  readonly position: number;
  readonly head: number;
  /** `live`, or what is being done to it right now. */
  readonly status: ProjectionStatus;
  /** Position that the rebuild or verification under way has reached. */
  readonly progress: number | null;
  /** Why it has stopped. */
  readonly error: string | null;
}

/** How far each projection is. A rebuild whose process died has failed; what it was to replace is as it was. */
export async function listProjections(
  sql: SqlExecutor,
  projections: readonly Projection[],
): Promise<ListedProjection[]> {
  const listed = await lookAt(sql, projections);
  // A lock is looked for after the status: one that ended in between has not died, and is told by another look.
  return listed.some(seemsDead) ? lookAt(sql, projections) : listed;
}

/** Whoever fails itself says why. */
const seemsDead = ({ status, error }: ListedProjection): boolean => status === 'failed' && error === null;

async function lookAt(sql: SqlExecutor, projections: readonly Projection[]): Promise<ListedProjection[]> {
  const { rows } = await sql.query<ListedProjection>({
    name: 'processing-list-projections',
    text: `with held as (
             select (l.classid::int8 << 32) | l.objid::int8 as key
             from pg_locks l
             where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
               and l.database = (select oid from pg_database where datname = current_database())
           )
           select
             wanted.name, wanted.version, coalesce(es.position_of(wanted.checkpoint), 0) as position, h.position as head,
             case
               when p.status = 'rebuilding' and work.key is null then 'failed'
               when p.status is null or (p.status = 'verifying' and work.key is null) then 'live'
               else p.status
             end as status,
             case when work.key is null then null else p.progress end as progress,
             p.error
           from unnest($1::text[], $2::int4[], $3::text[], $4::text[]) wanted (name, version, checkpoint, shadow_lock)
           left join es.projections p on p.name = wanted.name and p.version = wanted.version
           cross join es.head h
           left join held work on work.key = hashtextextended(wanted.shadow_lock, 0)
           order by wanted.name`,
    values: [
      projections.map(({ name }) => name),
      projections.map(({ version }) => version),
      projections.map(({ checkpoint }) => checkpoint),
      projections.map(shadowLock),
    ],
  });
  return rows;
}
