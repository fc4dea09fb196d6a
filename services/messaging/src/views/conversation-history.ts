import { type MessageReferences, unspokenKinds } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { messagesThatTell } from '../conversation/too-many-messages.ts';
import { conversationsTable, messagesTable } from './conversations-view.ts';

/** A message with words, of the contact (`inbound`) or to them. */
export interface Said {
  readonly direction: 'inbound' | 'outbound';
  readonly text: string;
  /** Of a contact's message; `text` when absent. */
  readonly kind?: string;
  /** What a contact's message goes back to. */
  readonly references?: MessageReferences | null;
  /** The words of the message that it is in reply to; null where that has none, is old, or is not on record. */
  readonly quoted?: string | null;
}

/** A contact's message by its position in the log. */
export interface Place {
  readonly conversationId: number;
  readonly position: number;
}

/** A message of a contact. */
interface Heard {
  readonly message_id: number;
  readonly conversation_id: number;
}

/** Messages that a language model is shown at most: so many up to the one to reply to, and so many replies after it. */
const maxLength = 30;
/** So many of a conversation's newest messages are looked through for one that is quoted: it may have had any number. */
const maxQuotable = 1_000;

/** SQL: the platform's id of the message that this one goes back to. */
const origin = (message: string): string => `${message}.goes_back_to ->> 'in_reply_to_sid'`;

/**
 * SQL: whether the contact has not taken this message of theirs back: deleted it, or the one that it corrects, which
 * may be told before it, or as a reaction changed it since. For few messages at the end of a conversation.
 */
const isKept = (message: string): string => `(
  (
    select gone.id from ${messagesTable} gone
    where gone.conversation_id = ${message}.conversation_id and gone.type = 'revoke'
      and ${origin('gone')} = any(array[
        ${message}.message_sid, case when ${message}.type = 'edit' then ${origin(message)} end
      ])
    limit 1
  ) is null
  and (
    select since.id from ${messagesTable} since
    where ${message}.type = 'reaction' and since.conversation_id = ${message}.conversation_id
      and since.position > ${message}.position and since.type = 'reaction' and ${origin('since')} = ${origin(message)}
    limit 1
  ) is null
)`;

/**
 * The end of a conversation, oldest first, as needed to answer the contact's message at `position` of the log:
 * everything up to that message, and what was answered since, with the words of messages that are quoted. Messages
 * without text, failed ones, those that the contact has taken back, and those of before the contact gave up the number,
 * which may be somebody else's since, are left out.
 */
export async function historyUpTo(
  sql: SqlExecutor,
  { conversationId, position }: Place,
): Promise<readonly Said[]> {
  const newest = (condition: string) =>
    `(select position, direction, body as text, type as kind, goes_back_to from ${messagesTable} one
      where conversation_id = $1 and ${condition} and body is not null and status <> 'failed'
        and position > coalesce((select position from beginning), 0) and ${isKept('one')}
      order by position desc limit $3)`;
  const { rows } = await sql.query<Said>({
    name: 'conversation-history',
    // Read only when a message quotes one, and once for all of them.
    text: `with quotable as materialized (
             select * from ${messagesTable} where conversation_id = $1 order by position desc limit ${maxQuotable}
           ), beginning as materialized (
             select moved_position as position from ${conversationsTable} where id = $1 and moved_position < $2
           )
           select direction, text, kind, goes_back_to as "references",
             case when ${origin('said')} is not null then (
               select quoted.body from quotable quoted
               where quoted.message_sid = ${origin('said')} and ${isKept('quoted')}
               order by quoted.position desc limit 1
             ) end as quoted
           from (
             ${newest('position <= $2')} union all ${newest("position > $2 and direction = 'outbound'")}
           ) said order by position`,
    values: [conversationId, position, maxLength],
  });
  return rows;
}

/** Query whether a message after this one, with `isSo` or the platform's id, replies to it or to a later one. */
const isReplied =
  (name: string, isSo: string) =>
  async (sql: SqlExecutor, { conversationId, position }: Place): Promise<boolean> => {
    const { rows } = await sql.query({
      name,
      // Only after the message: a conversation may be long.
      text: `select from ${messagesTable} reply join ${messagesTable} question on question.id = reply.in_reply_to
             where reply.conversation_id = $1 and reply.position > $2 and question.position >= $2
               and (${isSo} or reply.message_sid is not null)
             limit 1`,
      values: [conversationId, position],
    });
    return rows.length > 0;
  };

/**
 * Whether a reply to this message, or to a later one, was handed over. A reply that is being handed over does not
 * count, as the platform may still refuse it. One that the platform took and could not deliver counts: it is not sent
 * again.
 */
export const isAnswered = isReplied('reply-to', "reply.status not in ('queued', 'failed')");

/** Whether a reply to this message, or to a later one, was handed over or is being handed over. */
export const isUnderWay = isReplied('reply-under-way', "reply.status <> 'failed'");

/** Whether the contact has deleted the message at this place. */
export async function isTakenBack(sql: SqlExecutor, { conversationId, position }: Place): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'taken-back',
    text: `select from ${messagesTable} heard
           where conversation_id = $1 and position = $2 and not (${isKept('heard')})`,
    values: [conversationId, position],
  });
  return rows.length > 0;
}

/** SQL: a contact's message that is to be replied to. One with an error is on record as not answered. */
const isToAnswer = `direction = 'inbound' and body is not null and error is null
  and type not in (${unspokenKinds.map((kind) => `'${kind}'`).join(', ')})`;

/**
 * Whether the contact has written more since that is to be replied to, and not deleted it: that reply covers this
 * message as well.
 */
export async function isFollowed(sql: SqlExecutor, { conversationId, position }: Place): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'question-since',
    text: `select from ${messagesTable} heard
           where conversation_id = $1 and position > $2 and ${isToAnswer} and ${isKept('heard')} limit 1`,
    values: [conversationId, position],
  });
  return rows.length > 0;
}

/** One reply at most to so many messages in a row. */
const maxRow = 10;

/**
 * Whether this message is to be replied to although the contact has written more since: true for every tenth in a row
 * without a reply, as who writes without a pause would never get one. False when a reply to it, or to a later one, was
 * begun.
 */
export async function isTurn(sql: SqlExecutor, place: Place): Promise<boolean> {
  if (await isUnderWay(sql, place)) return false;
  const { rows } = await sql.query<{ unanswered: number }>({
    name: 'unanswered-row',
    text: `select count(*)::int4 as unanswered from ${messagesTable}
           where conversation_id = $1 and position <= $2 and ${isToAnswer} and position > coalesce((
             select question.position from ${messagesTable} reply
             join ${messagesTable} question on question.id = reply.in_reply_to
             where reply.conversation_id = $1 and reply.status <> 'failed'
             order by reply.position desc limit 1
           ), 0)`,
    values: [place.conversationId, place.position],
  });
  return rows.some(({ unanswered }) => unanswered > 0 && unanswered % maxRow === 0);
}

/**
 * Whether a person has written by hand since this message, as far as is known: also while the platform has not taken it
 * yet, which turns AI replies off.
 */
export async function isAnsweredByHand(
  sql: SqlExecutor,
  { conversationId, position }: Place,
): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'answer-by-hand',
    text: `select from ${messagesTable}
           where conversation_id = $1 and position > $2 and author = 'person' and type = 'text' and status <> 'failed'
           limit 1`,
    values: [conversationId, position],
  });
  return rows.length > 0;
}

/** Ages in milliseconds, by the platform clock, of the conversation's newest messages with `isSo`, newest first. */
async function agesOf(
  sql: SqlExecutor,
  name: string,
  isSo: string,
  values: readonly [conversationId: number, ...of: number[]],
): Promise<readonly number[]> {
  const { rows } = await sql.query<{ ageMs: number }>({
    name,
    text: `select (extract(epoch from es.now() - created_at) * 1000)::float8 as "ageMs" from ${messagesTable}
           where conversation_id = $1 and ${isSo} and status <> 'failed'
           order by position desc limit ${messagesThatTell}`,
    values: [...values],
  });
  return rows.map(({ ageMs }) => ageMs);
}

/** The ages of AI replies to other messages than this one. */
export const agesOfReplies = (sql: SqlExecutor, { message_id, conversation_id }: Heard) =>
  agesOf(sql, 'ages-of-replies', 'in_reply_to <> $2', [conversation_id, message_id]);

/** The ages of the contact's messages. */
export const agesOfReceived = (sql: SqlExecutor, conversationId: number) =>
  agesOf(sql, 'ages-of-received', "direction = 'inbound'", [conversationId]);

/** The ages of the templates sent. */
export const agesOfTemplates = (sql: SqlExecutor, conversationId: number) =>
  agesOf(sql, 'ages-of-templates', "type = 'template'", [conversationId]);
