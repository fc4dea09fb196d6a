import type { SqlExecutor } from '@parley/event-store';
import type { PastMoment } from '@parley/service-kit';
import { messagesTable } from './conversations-view.ts';

/** A message, and where in the log and when it began. */
export interface MessageAt {
  readonly id: number;
  readonly position: number;
  readonly created_at: Date;
}

interface Wanted {
  readonly direction?: 'inbound';
  readonly type?: 'template';
  /** Only those before this position, as text. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The messages that a conversation had at a moment, newest first. What had become of them, their streams tell. */
export async function messageIdsAt(
  sql: SqlExecutor,
  conversationId: number,
  { position, time }: PastMoment,
  { direction, type, before, limit }: Wanted,
): Promise<readonly MessageAt[]> {
  const { rows } = await sql.query<MessageAt & Record<string, unknown>>({
    name: 'messages-at',
    text: `select id, position, created_at from ${messagesTable}
           where conversation_id = $1 and position < coalesce($2::int8, 9223372036854775807)
             and position <= coalesce($3::int8, 9223372036854775807)
             and created_at <= coalesce($4::timestamptz, 'infinity')
             and direction = coalesce($5, direction) and type = coalesce($6, type)
           order by position desc limit $7`,
    values: [conversationId, before, position, time, direction, type, limit],
  });
  return rows;
}
