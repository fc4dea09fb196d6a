import type { SqlExecutor } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { wasAnothers } from './sender-queries.ts';
import { sendersTable } from './senders-view.ts';

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
  /** The one that was connected then, ISO 8601, if it has been disconnected since; else only one that is connected. */
  readonly connectedAt?: string;
}

/**
 * The sender with this number (E.164, any spelling); `null` when there is none. Of several senders with one number, the
 * newest.
 */
export async function findSenderByPhone(
  sql: SqlExecutor,
  phoneNumber: string,
  { accountId, at, connectedAt }: Wanted = {},
): Promise<SenderOfLine | null> {
  const { rows } = await sql.query<SenderOfLine>({
    name: 'sender-by-phone',
    text: `select s.id, s.account_id, s.assistant_id from ${sendersTable} s
           where s.phone_number = any($1::text[]) and ($2::int8 is null or s.account_id = $2)
             and ($3::timestamptz is null or not ${wasAnothers('$3')})
             and (s.disconnected_at is null or s.disconnected_at > $4::timestamptz)
           order by s.disconnected_at nulls last, s.id desc limit 1`,
    values: [spellingsOf(phoneNumber), accountId, at, connectedAt],
  });
  return rows[0] ?? null;
}
