import type { SqlExecutor } from '@parley/event-store';

/** Where a stream ends, and whose it is. */
export interface StreamEnd {
  readonly stream_id: string;
  readonly version: number;
  readonly account_id: number | null;
}

/** Of those that exist. Of a ledger of years only the newest event is looked at. */
export async function streamEnds(
  sql: SqlExecutor,
  streamIds: readonly string[],
): Promise<readonly StreamEnd[]> {
  const { rows } = await sql.query<StreamEnd & Record<string, unknown>>({
    text: `select newest.* from unnest($1::text[]) s (stream_id)
           cross join lateral (
             select e.stream_id, e.stream_version as version, e.account_id from es.events e
             where e.stream_id = s.stream_id order by e.stream_version desc limit 1
           ) newest`,
    values: [streamIds],
  });
  return rows;
}
