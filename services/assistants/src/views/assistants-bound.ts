import type { SqlExecutor } from '@parley/event-store';
import { assistantsTable } from './assistants-view.ts';

/** Of an automation's address, `…/hooks/automations/<token>`, whatever is asked there; hexadecimal, null of any other. */
const tokenHash = `encode(sha256(convert_to(
  substring(resource ->> 'webhook_url' from '/hooks/automations/([^/?#]+)(?:[?#]|$)'), 'UTF8')), 'hex')`;

/** An account's assistants whose webhook after calls goes to the automation with that token, and its URL there. */
export async function assistantsBoundTo(
  sql: SqlExecutor,
  accountId: number,
  hash: string,
): Promise<readonly { readonly id: number; readonly url: string }[]> {
  const { rows } = await sql.query<{ id: number; url: string }>({
    name: 'assistants-bound',
    text: `select id, resource ->> 'webhook_url' as url from ${assistantsTable}
           where account_id = $1 and ${tokenHash} = $2 order by id`,
    values: [accountId, hash],
  });
  return rows;
}
