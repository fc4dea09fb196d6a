import type { SqlExecutor } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { sendersTable } from './senders-view.ts';

export interface SenderOfLine {
  readonly id: number;
  readonly account_id: number;
  readonly assistant_id: number | null;
}

/**
 * The sender with this number (E.164, any spelling), of `accountId` if given; `null` when there is none. Of several
 * senders with one number, the newest.
 */
export async function findSenderByPhone(
  sql: SqlExecutor,
  phoneNumber: string,
  accountId: number | null = null,
): Promise<SenderOfLine | null> {
  const { rows } = await sql.query<SenderOfLine>({
    name: 'sender-by-phone',
    text: `select s.id, s.account_id, s.assistant_id from ${sendersTable} s
           where s.phone_number = any($1::text[]) and ($2::int8 is null or s.account_id = $2)
           order by s.id desc limit 1`,
    values: [spellingsOf(phoneNumber), accountId],
  });
  return rows[0] ?? null;
}
