import type { SqlExecutor } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { wasAnothers } from './sender-queries.ts';
import { connectedSenders } from './senders-view.ts';

export interface SenderOfLine {
  readonly id: number;
  readonly account_id: number;
  readonly assistant_id: number | null;
}

interface Wanted {
  /** Only a sender of this account. */
  readonly accountId?: number;
  /** Not one whose number another account had then, ISO 8601. */
  readonly at?: string | undefined;
}

/**
 * The sender with this number (E.164, any spelling); `null` when there is none. Of several senders with one number, the
 * newest.
 */
export async function findSenderByPhone(
  sql: SqlExecutor,
  phoneNumber: string,
  { accountId, at }: Wanted = {},
): Promise<SenderOfLine | null> {
  const { rows } = await sql.query<SenderOfLine>({
    name: 'sender-by-phone',
    text: `select s.id, s.account_id, s.assistant_id from ${connectedSenders} s
           where s.phone_number = any($1::text[]) and ($2::int8 is null or s.account_id = $2)
             and ($3::timestamptz is null or not ${wasAnothers('$3')})
           order by s.id desc limit 1`,
    values: [spellingsOf(phoneNumber), accountId, at],
  });
  return rows[0] ?? null;
}
