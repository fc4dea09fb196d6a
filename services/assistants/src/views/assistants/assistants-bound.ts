import type { SqlExecutor } from '@parley/event-store';
import { assistantsTable } from './assistants-view.ts';

/**
 * SQL expression for the hash of the token in an automation's address (`…/hooks/automations/<token>`, with or without a
 * query), in hexadecimal; null for any other URL.
 */
const tokenHash = `encode(sha256(convert_to(
  substring(resource ->> 'webhook_url' from '/hooks/automations/([^/?#]+)(?:[?#]|$)'), 'UTF8')), 'hex')`;

/** An account's assistants whose post-call webhook goes to the automation with that token, and the whole URL. */
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
