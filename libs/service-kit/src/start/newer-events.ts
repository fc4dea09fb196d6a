import type { SqlExecutor } from '@parley/event-store';

/** An event type of the service, with the newest version of its payload that this release knows. */
export interface KnownEvent {
  readonly type: string;
  readonly version: number;
}

interface NewerEvent {
  readonly type: string;
  readonly version: number;
  readonly position: number;
  readonly event_id: string;
  readonly recorded_at: string;
}

/** A release from before would fold and show, wrongly and without a word, what it does not know. */
class NewerEvents extends Error {
  override readonly name = 'NewerEvents';

  constructor({ type, version, position, event_id, recorded_at }: NewerEvent) {
    super(
      `A newer release has recorded what this one does not know and would read wrongly: ${type} in version ${version}, first at position ${position} (event ${event_id}, ${recorded_at}). Start that release again, or a later one; nothing is lost.`,
    );
  }
}

/**
 * Rejects, before anything is read or written, where the log has events of types or versions that the release does not know.
 * Notes those that it knows, for releases from before. Copies that run meanwhile are not held up.
 */
export async function refuseNewerEvents(sql: SqlExecutor, known: readonly KnownEvent[]): Promise<void> {
  const newer = await findNewer(sql, known);
  if (newer) throw new NewerEvents(newer);
  await sql.query({
    text: `insert into es.event_versions (type, version, after)
           select known.type, known.version, h.position
           from unnest($1::text[], $2::int4[]) known (type, version) cross join es.head h
           on conflict do nothing`,
    values: columnsOf(known),
  });
}

const columnsOf = (known: readonly KnownEvent[]) => [
  known.map(({ type }) => type),
  known.map(({ version }) => version),
];

/** What a newer release may have recorded is looked for only behind where it began. */
async function findNewer(sql: SqlExecutor, known: readonly KnownEvent[]): Promise<NewerEvent | undefined> {
  const noted = await sql.query<KnownEvent & { readonly after: number }>({
    text: `select type, min(noted.version) as version, min(after) as after
           from es.event_versions noted
           left join unnest($1::text[], $2::int4[]) known (type, version) using (type)
           where noted.version > coalesce(known.version, 0)
           group by type`,
    values: columnsOf(known),
  });
  if (noted.rows.length === 0) return undefined;
  const { rows } = await sql.query<NewerEvent>({
    text: `select e.type, e.schema_version as version, e.position, e.event_id, e.recorded_at::text as recorded_at
           from es.events e
           join unnest($1::text[], $2::int4[]) newer (type, version)
             on newer.type = e.type and e.schema_version >= newer.version
           where e.position > $3
           order by e.position limit 1`,
    values: [...columnsOf(noted.rows), Math.min(...noted.rows.map(({ after }) => after))],
  });
  return rows[0];
}
