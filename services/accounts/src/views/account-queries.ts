import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { createOwnPages, type OwnPage } from '@parley/service-kit';
import { accountsTable } from './accounts-view.ts';
import { balancesTable, linesTable } from './ledger-view.ts';

/** An account with its balance as it is now. */
export interface AccountRow {
  readonly account_id: number;
  readonly email: string;
  readonly name: string;
  readonly billing_unit: 'credits' | 'minutes';
  readonly total_micros: number;
  readonly reserved_micros: number;
}

/** Loads accounts by id, those of one event-loop tick in one statement; `undefined` for one that does not exist. */
export function createAccountLoader(
  sql: SqlExecutor,
): (accountId: number) => Promise<AccountRow | undefined> {
  return createBatchLoader(async (accountIds: readonly number[]) => {
    const { rows } = await sql.query<AccountRow>({
      name: 'accounts-by-id',
      text: `select a.account_id, a.email, a.name, a.billing_unit,
               coalesce(b.total_micros, 0) as total_micros, coalesce(b.reserved_micros, 0) as reserved_micros
             from ${accountsTable} a left join ${balancesTable} b on b.account_id = a.account_id
             where a.account_id = any($1::int8[])`,
      values: [accountIds],
    });
    const byId = new Map(rows.map((row) => [row.account_id, row]));
    return accountIds.map((accountId) => byId.get(accountId));
  });
}

/** The account that an email address belongs to, whatever its case. */
export async function findAccountByEmail(sql: SqlExecutor, email: string): Promise<number | undefined> {
  const { rows } = await sql.query<{ account_id: number }>({
    name: 'account-by-email',
    text: `select account_id from ${accountsTable} where lower(email) = lower($1)`,
    values: [email],
  });
  return rows[0]?.account_id;
}

export interface PageOfLines extends OwnPage {
  /** How many lines, from the oldest on, the ledger had at the wanted moment; `null` for all of them. */
  readonly upTo: number | null;
}

/** Pages of ledger lines, newest first. Lines are numbered without gaps, so a page is a range of the index. */
export const createLinesLoader = (sql: SqlExecutor) =>
  createOwnPages<PageOfLines>(sql, {
    name: 'ledger-lines',
    text: `select n.total, coalesce((
             select string_agg(l.body, ',' order by l.line_no desc) from ${linesTable} l
             where l.account_id = w.account_id
               and l.line_no <= n.total - w.skip and l.line_no > n.total - w.skip - w.take
           ), '') as items
           from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[])
             with ordinality w (account_id, skip, take, up_to, place)
           left join ${balancesTable} b on b.account_id = w.account_id
           cross join lateral (select least(w.up_to, coalesce(b.line_count, 0)) as total) n
           order by w.place`,
    more: [({ upTo }) => upTo],
  });
