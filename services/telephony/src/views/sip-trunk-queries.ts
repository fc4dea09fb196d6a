import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { sipTrunksTable } from './sip-trunks-view.ts';

interface OwnSipTrunk {
  readonly accountId: number;
  readonly id: number;
}

/** The account's trunk as JSON text, `null` when it has none of that id; the questions of a tick are one statement. */
export const createSipTrunkReader = (
  sql: SqlExecutor,
): ((asked: OwnSipTrunk) => Promise<{ readonly body: string; readonly version: number } | null>) =>
  createBatchLoader(async (asked: readonly OwnSipTrunk[]) => {
    const { rows } = await sql.query<{ body: string | null; version: number }>({
      name: 'get-sip-trunk',
      text: `select i.body, i.version from unnest($1::int8[], $2::int8[]) with ordinality w (account_id, id, place)
             left join ${sipTrunksTable} i on i.id = w.id and i.account_id = w.account_id order by w.place`,
      values: [asked.map(({ accountId }) => accountId), asked.map(({ id }) => id)],
    });
    return rows.map(({ body, version }) => (body === null ? null : { body, version }));
  });

/** All of an account's trunks, newest first, as JSON text joined by commas. */
export const createSipTrunkList = (sql: SqlExecutor): ((accountId: number) => Promise<string>) =>
  createBatchLoader(async (accountIds: readonly number[]) => {
    const { rows } = await sql.query<{ items: string }>({
      name: 'list-sip-trunks',
      text: `select coalesce(string_agg(i.body, ',' order by i.created_position desc), '') as items
             from unnest($1::int8[]) with ordinality w (account_id, place)
             left join ${sipTrunksTable} i on i.account_id = w.account_id
             group by w.place order by w.place`,
      values: [accountIds],
    });
    return rows.map(({ items }) => items);
  });

interface OwnedTrunk {
  readonly id: number;
  readonly account_id: number;
  /** Of the calls that it is for. */
  readonly direction: 'inbound' | 'outbound';
}

/** The trunk that the voice platform calls so; `null` when it is none of a customer. */
export async function findTrunkOfPlatform(sql: SqlExecutor, trunkId: string): Promise<OwnedTrunk | null> {
  const { rows } = await sql.query<OwnedTrunk>({
    name: 'trunk-of-platform',
    text: `select i.id, i.account_id, case $1 when i.inbound_trunk_id then 'inbound' else 'outbound' end as direction
           from ${sipTrunksTable} i
           where i.inbound_trunk_id = $1 or i.outbound_trunk_id = $1`,
    values: [trunkId],
  });
  return rows[0] ?? null;
}
