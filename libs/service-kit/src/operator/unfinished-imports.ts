import type { SqlExecutor } from '@parley/event-store';

/** Claims that no stream holds: of each account here whose import has not come to its end. */
const scope = 'import';

/** In the transaction of the account's first events, and of all that follow. */
export async function beginImports(sql: SqlExecutor, accountIds: readonly number[]): Promise<void> {
  await sql.query({
    text: `insert into es.claims (scope, key, owner) select $1, key, $1 from unnest($2::text[]) key
           on conflict do nothing`,
    values: [scope, accountIds.map(String)],
  });
}

/** Those of the accounts whose import goes on, or was cut off. */
export async function unfinishedImports(
  sql: SqlExecutor,
  accountIds: readonly number[],
): Promise<readonly number[]> {
  const { rows } = await sql.query<{ key: string }>({
    text: 'select key from es.claims where scope = $1 and key = any ($2::text[])',
    values: [scope, accountIds.map(String)],
  });
  return rows.map(({ key }) => Number(key));
}

export async function endImport(sql: SqlExecutor, accountId: number): Promise<void> {
  await sql.query({
    text: 'delete from es.claims where scope = $1 and key = $2',
    values: [scope, String(accountId)],
  });
}
