import { rejections } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { campaignsTable, heldUpJson, isHeldUp } from './campaigns-view.ts';

/** Ids of the account's campaigns that wait because its balance was too low. */
export async function campaignsWithoutMoney(sql: SqlExecutor, accountId: number): Promise<readonly number[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'campaigns-without-money',
    text: `select i.id from ${campaignsTable} i
           where i.account_id = $1 and ${isHeldUp} and (${heldUpJson})::jsonb ->> 'reason' = $2
           order by i.id`,
    values: [accountId, rejections.insufficient_balance.message],
  });
  return rows.map(({ id }) => Number(id));
}
