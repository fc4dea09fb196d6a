import type { SqlExecutor } from '@parley/event-store';
import { createOwnItemList, createOwnItemReader } from '@parley/service-kit';
import { sipTrunksTable } from './sip-trunks-view.ts';

export const createSipTrunkReader = (sql: SqlExecutor) =>
  createOwnItemReader(sql, 'sip-trunk', sipTrunksTable);
export const createSipTrunkList = (sql: SqlExecutor) => createOwnItemList(sql, 'sip-trunks', sipTrunksTable);

interface OwnedTrunk {
  readonly id: number;
  readonly account_id: number;
  readonly country_code: string;
  /** The direction that the platform's id belongs to. */
  readonly direction: 'inbound' | 'outbound';
}

/** The customer's trunk with this id of the voice platform, in either direction; `null` when there is none. */
export async function findTrunkOfPlatform(sql: SqlExecutor, trunkId: string): Promise<OwnedTrunk | null> {
  const { rows } = await sql.query<OwnedTrunk>({
    name: 'trunk-of-platform',
    text: `select i.id, i.account_id, i.country_code, case $1 when i.inbound_trunk_id then 'inbound' else 'outbound' end as direction
           from ${sipTrunksTable} i
           where i.inbound_trunk_id = $1 or i.outbound_trunk_id = $1`,
    values: [trunkId],
  });
  return rows[0] ?? null;
}

/** The trunks of all accounts, in any spelling of the number, by which calls to it come in as far as is on record. */
export async function findInboundTrunks(
  sql: SqlExecutor,
  number: string,
): Promise<readonly { readonly id: number; readonly account_id: number }[]> {
  const { rows } = await sql.query<{ id: number; account_id: number }>({
    name: 'inbound-trunks-of-number',
    text: `select i.id, i.account_id from ${sipTrunksTable} i
           where translate(i.phone_number, '+-', '') = translate($1, '+-', '') and i.inbound_trunk_id <> ''`,
    values: [number],
  });
  return rows;
}
