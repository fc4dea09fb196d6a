import { randomBytes } from 'node:crypto';
import type { Callback } from '../callbacks/callback.ts';
import type { Executor } from '../database/transaction.ts';

export const messageStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

export interface Message {
  readonly id: string;
  readonly phone_number_id: string;
  readonly wa_id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly is_permission_request: boolean;
  readonly status: string;
  /** What the sender gave as `biz_opaque_callback_data`, given back in the statuses of the message; null for none. */
  readonly callback_data: string | null;
  readonly category: string;
  readonly created_at: Date;
}

const columns =
  'id, phone_number_id, wa_id, direction, is_permission_request, status, callback_data, category, created_at';

const valuesOf = (message: Message): unknown[] => [
  message.id,
  message.phone_number_id,
  message.wa_id,
  message.direction,
  message.is_permission_request,
  message.status,
  message.callback_data,
  message.category,
  message.created_at,
];

export const newMessageId = (): string => `wamid.${randomBytes(27).toString('base64url')}`;

export async function saveMessage(db: Executor, message: Message): Promise<void> {
  await db.query({
    name: 'save-message',
    text: `insert into chat.messages (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: valuesOf(message),
  });
}

/** Stores an outbound message and queues the callback that reports it, in one statement. */
export async function acceptMessage(db: Executor, message: Message, callback: Callback): Promise<void> {
  await db.query({
    name: 'accept-message',
    text: `with message as (
        insert into chat.messages (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      )
      insert into sandbox.callbacks (provider, topic, event, body) values ($10, $11, $12, $13)`,
    values: [
      ...valuesOf(message),
      callback.provider,
      callback.topic,
      callback.event,
      JSON.stringify(callback.payload),
    ],
  });
}

/** Sets the status of an outbound message; null when there is none with this id. */
export async function setMessageStatus(
  db: Executor,
  id: string,
  status: MessageStatus,
): Promise<Message | null> {
  const { rows } = await db.query<Message>(
    `update chat.messages set status = $2 where id = $1 and direction = 'outbound' returning ${columns}`,
    [id, status],
  );
  return rows[0] ?? null;
}

export async function lastPermissionRequest(
  db: Executor,
  phoneNumberId: string,
  contact: string,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `select id from chat.messages where phone_number_id = $1 and wa_id = $2 and is_permission_request
     order by created_at desc, id limit 1`,
    [phoneNumberId, contact],
  );
  return rows[0]?.id ?? null;
}
