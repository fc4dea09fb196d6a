import {
  type getConversation,
  hasWritten,
  type MessageReferences,
  type OperationSuccess,
} from '@parley/contracts';
import type { ProjectionDb } from '@parley/processing';
import { sayWhyNotAnswered } from '../message/incoming/not-answered.ts';
import { referencesOf } from '../message/incoming/references.ts';
import type { RecordedHandled } from './conversation-events.ts';

type MessageStatus = OperationSuccess<typeof getConversation>['data']['messages'][number]['status'];

/** Writes what a batch of events changes of messages, and the times that their conversations' windows rest on. */
export function projectMessages(events: readonly RecordedHandled[], db: ProjectionDb): void {
  insertMessages(events.flatMap(rowOf), db);
  updateStatuses(statusesOf(events), db);
}

/** A message as it is first shown. */
interface Row {
  readonly id: number;
  readonly conversationId: number;
  readonly position: number;
  readonly direction: 'inbound' | 'outbound';
  readonly author: 'contact' | 'person' | 'assistant';
  readonly type: string;
  readonly body: string | null;
  readonly templateId: number | null;
  readonly messageSid: string | null;
  readonly status: MessageStatus;
  readonly at: string;
  /** When the contact wrote, by the chat platform; null for our messages, and where they have deleted one. */
  readonly receivedAt: string | null;
  readonly inReplyTo: number | null;
  /** What a contact's message goes back to. */
  readonly references: MessageReferences | null;
}

function rowOf(event: RecordedHandled): readonly Row[] {
  const { position, recordedAt: at } = event;
  switch (event.type) {
    case 'MessageSendStarted': {
      const { message_id: id, conversation_id: conversationId, author, kind, body } = event.data;
      return [
        {
          id,
          conversationId,
          position,
          direction: 'outbound',
          author,
          type: kind === 'template' ? 'template' : 'text',
          body,
          templateId: event.data.template_id,
          messageSid: null,
          status: 'queued',
          at,
          receivedAt: null,
          inReplyTo: event.data.in_reply_to,
          references: null,
        },
      ];
    }
    case 'MessageReceived': {
      const {
        message_id: id,
        conversation_id: conversationId,
        kind,
        text,
        message_sid,
        sent_at,
      } = event.data;
      return [
        {
          id,
          conversationId,
          position,
          direction: 'inbound',
          author: 'contact',
          type: kind,
          body: text,
          templateId: null,
          messageSid: message_sid,
          status: 'received',
          at,
          receivedAt: hasWritten(kind) ? sent_at : null,
          inReplyTo: null,
          references: referencesOf(event.data),
        },
      ];
    }
    default:
      return [];
  }
}

function insertMessages(rows: readonly Row[], db: ProjectionDb): void {
  if (rows.length === 0) return;
  db.query({
    name: 'insert-messages',
    text: `with added as (
             insert into ${db.schema}.messages (id, conversation_id, position, direction, author, type, body,
               template_id, message_sid, status, created_at, in_reply_to, goes_back_to)
             select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::text[],
               $8::int8[], $9::text[], $10::text[], $11::timestamptz[], $13::int8[], $14::jsonb[])
           )
           update ${db.schema}.conversations v
           set last_message_at = greatest(v.last_message_at, c.at),
             last_received_at = greatest(v.last_received_at, c.received_at)
           from (
             select m.conversation_id, max(m.at) as at, max(case when m.received_at is not null then least(m.received_at, m.at) end) as received_at
             from unnest($2::int8[], $11::timestamptz[], $12::timestamptz[]) m (conversation_id, at, received_at)
             group by 1
           ) c
           where v.id = c.conversation_id`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ conversationId }) => conversationId),
      rows.map(({ position }) => position),
      rows.map(({ direction }) => direction),
      rows.map(({ author }) => author),
      rows.map(({ type }) => type),
      rows.map(({ body }) => body),
      rows.map(({ templateId }) => templateId),
      rows.map(({ messageSid }) => messageSid),
      rows.map(({ status }) => status),
      rows.map(({ at }) => at),
      rows.map(({ receivedAt }) => receivedAt),
      rows.map(({ inReplyTo }) => inReplyTo),
      rows.map(({ references }) => references && JSON.stringify(references)),
    ],
  });
}

interface Status {
  readonly id: number;
  readonly status: MessageStatus;
  readonly messageSid: string | null;
  readonly error: string | null;
  /** When the platform took it. */
  readonly sentAt: string | null;
}

/** The last status of each message, and the platform's id and time of sending where the events tell them. */
function statusesOf(events: readonly RecordedHandled[]): readonly Status[] {
  const byMessage = new Map<number, Status>();
  const change = (id: number, status: MessageStatus, more: Partial<Status> = {}) => {
    const earlier = byMessage.get(id) ?? { messageSid: null, sentAt: null };
    byMessage.set(id, { ...earlier, id, status, error: null, ...more });
  };
  for (const event of events) {
    switch (event.type) {
      case 'MessageSent':
        change(event.data.message_id, 'sent', {
          messageSid: event.data.message_sid,
          sentAt: event.recordedAt,
        });
        break;
      case 'MessageFailed':
      case 'MessageUndeliverable':
        change(event.data.message_id, 'failed', { error: event.data.reason });
        break;
      case 'MessageOutcomeUnknown':
        change(event.data.message_id, 'unknown', { error: event.data.reason });
        break;
      case 'MessageDelivered':
        change(event.data.message_id, 'delivered');
        break;
      case 'MessageRead':
        change(event.data.message_id, 'read');
        break;
      case 'MessageNotAnswered':
        change(event.data.message_id, 'received', { error: sayWhyNotAnswered(event.data.reason) });
        break;
      default:
    }
  }
  return [...byMessage.values()];
}

function updateStatuses(statuses: readonly Status[], db: ProjectionDb): void {
  if (statuses.length === 0) return;
  db.query({
    name: 'update-statuses',
    text: `with changed as (
             update ${db.schema}.messages m
             set status = s.status, message_sid = coalesce(m.message_sid, s.message_sid), error = s.error
             from unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
               s (id, status, message_sid, error, sent_at)
             where m.id = s.id
             returning m.conversation_id, m.type, s.sent_at
           ), sent as (
             select conversation_id, max(sent_at) as at from changed
             where type = 'template' and sent_at is not null group by 1
           )
           update ${db.schema}.conversations v set last_template_at = greatest(v.last_template_at, sent.at)
           from sent where v.id = sent.conversation_id`,
    values: [
      statuses.map(({ id }) => id),
      statuses.map(({ status }) => status),
      statuses.map(({ messageSid }) => messageSid),
      statuses.map(({ error }) => error),
      statuses.map(({ sentAt }) => sentAt),
    ],
  });
}

/** A row of the view, from the events of one message. */
export type ProjectedMessage = ReturnType<typeof shown>;

/** What the view shows of one message after these events of it; `null` before the first. */
export function messageOf(events: readonly RecordedHandled[]): ProjectedMessage | null {
  const [row] = events.flatMap(rowOf);
  return row ? shown(row, statusesOf(events).at(-1)) : null;
}

const shown = (row: Row, last: Status | undefined) => ({
  id: row.id,
  direction: row.direction,
  author: row.author,
  type: row.type,
  body: row.body,
  template_id: row.templateId,
  message_sid: row.messageSid ?? last?.messageSid ?? null,
  status: last?.status ?? row.status,
  error: last?.error ?? null,
  goes_back_to: row.references,
  created_at: new Date(row.at),
});

/** When the contact wrote the message, ISO 8601: the platform's time, but not later than ours of its receipt. */
export function receivedAtOf(events: readonly RecordedHandled[]): string | null {
  const [row] = events.flatMap(rowOf);
  if (!row || row.receivedAt === null) return null;
  return Date.parse(row.receivedAt) < Date.parse(row.at) ? row.receivedAt : row.at;
}

/** When the platform took the message, by our record (ISO 8601); null when it has not. */
export const sentAtOf = (events: readonly RecordedHandled[]): string | null =>
  statusesOf(events).at(-1)?.sentAt ?? null;
