import { randomBytes } from 'node:crypto';
import type { Executor } from '../database/transaction.ts';

/** The statuses that a test or a person can give to an SMS that the carrier took. */
export const smsStatuses = ['sent', 'delivered', 'undelivered', 'failed'] as const;
export type SmsStatus = (typeof smsStatuses)[number];

export interface SmsMessage {
  readonly sid: string;
  readonly from_number: string;
  readonly to_number: string;
  readonly body: string;
  readonly status: string;
  /** The URL for status callbacks; empty for none. */
  readonly status_url: string;
  readonly created_at: Date;
}

const columns = 'sid, from_number, to_number, body, status, status_url, created_at';

export async function saveSms(
  db: Executor,
  { from_number, to_number, body, status_url }: Omit<SmsMessage, 'sid' | 'status' | 'created_at'>,
  now: Date,
): Promise<SmsMessage> {
  const sid = `SM${randomBytes(16).toString('hex')}`;
  const message = { sid, from_number, to_number, body, status: 'queued', status_url, created_at: now };
  await db.query({
    name: 'save-sms',
    text: `insert into carrier.messages (${columns}) values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [sid, from_number, to_number, body, message.status, status_url, now],
  });
  return message;
}

/** Sets the status of an SMS; `null` when there is none with this SID. */
export async function setSmsStatus(db: Executor, sid: string, status: SmsStatus): Promise<SmsMessage | null> {
  const { rows } = await db.query<SmsMessage>(
    `update carrier.messages set status = $2 where sid = $1 returning ${columns}`,
    [sid, status],
  );
  return rows[0] ?? null;
}

/** Whether SMS can be sent from the number: it was bought, and is for SMS. */
export async function canSend(db: Executor, phoneNumber: string): Promise<boolean> {
  const { rows } = await db.query('select from carrier.numbers where phone_number = $1 and sms_capable', [
    phoneNumber,
  ]);
  return rows.length > 0;
}
