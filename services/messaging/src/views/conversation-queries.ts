import {
  type getConversation,
  type listConversations,
  type MessageReferences,
  noReferences,
  type OperationSuccess,
} from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { conversationsTable, messagesTable } from './conversations-view.ts';

type List = OperationSuccess<typeof listConversations>;
type Detail = OperationSuccess<typeof getConversation>;

export interface CursorPage {
  readonly accountId: number;
  /** The log position of the last item before this page, as text. */
  readonly cursor: string | undefined;
  readonly perPage: number;
}

export interface ConversationRow {
  readonly id: number;
  readonly account_id: number;
  readonly position: number;
  readonly uuid: string;
  readonly sender_id: number;
  readonly contact_phone: string;
  readonly contact_name: string | null;
  readonly is_ai_enabled: boolean;
  readonly created_at: Date;
  readonly last_message_at: Date | null;
  readonly last_received_at: Date | null;
  readonly moved_to: string | null;
  readonly marketing_stopped_at: Date | null;
  readonly moved_from: string | null;
}

interface MessageRow {
  readonly id: number;
  readonly position: number;
  readonly direction: 'inbound' | 'outbound';
  readonly author: 'contact' | 'person' | 'assistant';
  readonly type: string;
  readonly body: string | null;
  readonly template_id: number | null;
  readonly message_sid: string | null;
  readonly status: Detail['data']['messages'][number]['status'];
  readonly error: string | null;
  readonly goes_back_to: MessageReferences | null;
  readonly created_at: Date;
}

/** Of the conversation `c`. `moved_from` is the number that its contact had in another one, as the platform told. */
const columns = `c.id, c.account_id, c.position, c.uuid, c.sender_id, c.contact_phone, c.contact_name, c.is_ai_enabled,
  c.created_at, c.last_message_at, c.last_received_at, c.marketing_stopped_at, c.moved_to, (
    select before.contact_phone from ${conversationsTable} before
    where before.sender_id = c.sender_id and before.moved_to = c.contact_phone
    order by before.moved_position desc limit 1
  ) as moved_from`;

/** A page of the account's conversations, newest first. */
export async function pageOfConversations(
  sql: SqlExecutor,
  { accountId, cursor, perPage }: CursorPage,
): Promise<List> {
  const { rows } = await sql.query<ConversationRow>({
    name: 'list-conversations',
    text: `select ${columns} from ${conversationsTable} c
           where c.account_id = $1 and c.position < coalesce($2::int8, 9223372036854775807)
           order by c.position desc limit $3`,
    values: [accountId, cursor, perPage + 1],
  });
  const { page, next_cursor } = cut(rows, perPage);
  return { data: page.map(toItem), next_cursor };
}

/** A conversation with a page of its messages, newest first; `null` when there is none, or it is another account's. */
export async function readConversation(
  sql: SqlExecutor,
  uuid: string,
  { accountId, cursor, perPage }: CursorPage,
): Promise<Detail | null> {
  const row = await findConversation(sql, accountId, uuid);
  if (!row) return null;
  const { rows: messages } = await sql.query<MessageRow>({
    name: 'list-messages',
    text: `select id, position, direction, author, type, body, template_id, message_sid, status, error, goes_back_to,
             created_at
           from ${messagesTable}
           where conversation_id = $1 and position < coalesce($2::int8, 9223372036854775807)
           order by position desc limit $3`,
    values: [row.id, cursor, perPage + 1],
  });
  const { page, next_cursor } = cut(messages, perPage);
  return { data: { ...toItem(row), messages: page.map(toMessage) }, next_cursor };
}

/** `null` when there is none, or it is another account's. */
export async function findConversation(
  sql: SqlExecutor,
  accountId: number,
  uuid: string,
): Promise<ConversationRow | null> {
  const { rows } = await sql.query<ConversationRow>({
    name: 'get-conversation',
    text: `select ${columns} from ${conversationsTable} c where c.account_id = $1 and c.uuid = $2`,
    values: [accountId, uuid],
  });
  return rows[0] ?? null;
}

/**
 * SQL that finds the conversation (`c`) of sender `$1` with a contact that has one of the numbers `$2` (`spellingsOf`);
 * of several, the one with the number that comes first in `$2`.
 */
export const whoseContactIs = `where c.sender_id = $1 and c.contact_phone = any($2::text[])
   order by array_position($2::text[], c.contact_phone) limit 1`;

/** The conversation of a sender and a contact, of any account; `null` when there is none. */
export async function findConversationOf(
  sql: SqlExecutor,
  { senderId, contactPhone }: { readonly senderId: number; readonly contactPhone: string },
): Promise<ConversationRow | null> {
  const { rows } = await sql.query<ConversationRow>({
    name: 'conversation-of-contact',
    text: `select ${columns} from ${conversationsTable} c ${whoseContactIs}`,
    values: [senderId, spellingsOf(contactPhone)],
  });
  return rows[0] ?? null;
}

/** Cuts a page from rows of which one more was read: that tells whether another page follows. */
export function cut<Row extends { readonly position: number }>(rows: readonly Row[], perPage: number) {
  const page = rows.slice(0, perPage);
  const last = rows.length > perPage ? page.at(-1) : undefined;
  return { page, next_cursor: last ? String(last.position) : null };
}

export const toItem = (row: ConversationRow): List['data'][number] => ({
  id: row.id,
  uuid: row.uuid,
  sender_id: row.sender_id,
  customer_phone: row.contact_phone,
  customer_name: row.contact_name,
  ai_enabled: row.is_ai_enabled,
  moved_to: row.moved_to,
  moved_from: row.moved_from,
  marketing_stopped_at: row.marketing_stopped_at?.toISOString() ?? null,
  last_received_at: row.last_received_at?.toISOString() ?? null,
  last_message_at: row.last_message_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

export const toMessage = (row: Omit<MessageRow, 'position'>): Detail['data']['messages'][number] => ({
  id: row.id,
  direction: row.direction,
  author: row.author,
  type: row.type,
  text: row.body,
  template_id: row.template_id,
  message_sid: row.message_sid,
  status: row.status,
  error: row.error,
  ...(row.goes_back_to ?? noReferences),
  created_at: row.created_at.toISOString(),
});
