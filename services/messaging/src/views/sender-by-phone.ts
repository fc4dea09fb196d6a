import type { SqlExecutor } from '@parley/event-store';
import { sendersTable } from './senders-view.ts';

/** The account's sender with this number, in E.164; `undefined` when none has it. */
export async function findSenderByPhone(
  sql: SqlExecutor,
  accountId: number,
  phoneNumber: string,
): Promise<{ readonly id: number } | undefined> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'sender-by-phone',
    text: `select s.id from ${sendersTable} s where s.account_id = $1 and s.phone_number = $2`,
    values: [accountId, phoneNumber],
  });
  return rows[0];
}

/** Whoever's sender has this number, in E.164; `null` when none has it. */
export async function findSenderOfNumber(
  sql: SqlExecutor,
  phoneNumber: string,
): Promise<{
  readonly id: number;
  readonly account_id: number;
  readonly assistant_id: number | null;
} | null> {
  const { rows } = await sql.query<{ id: number; account_id: number; assistant_id: number | null }>({
    name: 'sender-of-number',
    text: `select s.id, s.account_id, s.assistant_id from ${sendersTable} s
           where s.phone_number = $1 order by s.id desc limit 1`,
    values: [phoneNumber],
  });
  return rows[0] ?? null;
}
