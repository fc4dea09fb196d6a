import type { SqlExecutor } from '@parley/event-store';
import { sendOfOwner } from '@parley/processing';
import { messageChecks } from './message-check.ts';

/** The message that a request has caused, unless that certainly was not sent; `null` when there is none. */
export async function findMessageOfRequest(sql: SqlExecutor, commandId: string): Promise<number | null> {
  const { rows } = await sql.query<{ owner: string }>({
    name: 'message-of-request',
    text: 'select owner from es.claims where scope = $1 and key = $2',
    values: [messageChecks.requestScope, commandId],
  });
  return rows[0] ? sendOfOwner(rows[0].owner) : null;
}
