import type { Moment, Snapshot } from '../../port.ts';
import type { SqlExecutor } from '../../sql.ts';
import { forLookUps } from '../connection/answer-time.ts';

export async function findSnapshot(
  sql: SqlExecutor,
  streamId: string,
  form: string,
  { version, position, time }: Moment,
): Promise<Snapshot | undefined> {
  const { rows } = await forLookUps(sql).query<Snapshot>({
    name: 'es-find-snapshot',
    text: `select version, account_id as "accountId", position, recorded_at as "recordedAt", state from es.snapshots
           where stream_id = $1 and form = $2
             and ($3::int8 is null or version <= $3)
             and ($4::int8 is null or position <= $4)
             and ($5::timestamptz is null or recorded_at::timestamptz <= $5)
           order by version desc limit 1`,
    values: [streamId, form, version, position, time],
  });
  return rows[0];
}

export async function keepSnapshot(
  sql: SqlExecutor,
  streamId: string,
  form: string,
  { version, accountId, position, recordedAt, state }: Snapshot,
): Promise<void> {
  await forLookUps(sql).query({
    name: 'es-keep-snapshot',
    text: `insert into es.snapshots (stream_id, form, version, account_id, position, recorded_at, state)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (stream_id, form, version) do update set state = excluded.state`,
    values: [streamId, form, version, accountId, position, recordedAt, JSON.stringify(state)],
  });
}
