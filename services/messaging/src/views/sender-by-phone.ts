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
