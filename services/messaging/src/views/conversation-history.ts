import type { SqlExecutor } from '@parley/event-store';
import { messagesTable } from './conversations-view.ts';

/** What was said in a conversation. */
export interface Said {
  readonly direction: 'inbound' | 'outbound';
  readonly text: string;
}

/** What a language model is shown of a conversation at most, up to a message and after it. */
const maxLength = 30;

/**
 * The end of a conversation, oldest first, as needed to answer the contact's message at `position` of the log:
 * everything up to that message, and what was answered since. Messages without text, and failed ones, are left out.
 */
export async function historyUpTo(
  sql: SqlExecutor,
  { conversationId, position }: { readonly conversationId: number; readonly position: number },
): Promise<readonly Said[]> {
  const newest = (condition: string) =>
    `(select position, direction, body as text from ${messagesTable}
      where conversation_id = $1 and ${condition} and body is not null and status <> 'failed'
      order by position desc limit $3)`;
  const { rows } = await sql.query<Said>({
    name: 'conversation-history',
    text: `select direction, text from (
             ${newest('position <= $2')} union all ${newest("position > $2 and direction = 'outbound'")}
           ) said order by position`,
    values: [conversationId, position, maxLength],
  });
  return rows;
}
