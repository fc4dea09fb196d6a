import type { SqlExecutor } from './sql.ts';

/** The owner of a claim; undefined when nobody has made it. */
export async function findClaimOwner(
  sql: SqlExecutor,
  scope: string,
  key: string,
): Promise<string | undefined> {
  const { rows } = await sql.query<{ owner: string }>({
    name: 'claim-owner',
    text: 'select owner from es.claims where scope = $1 and key = $2',
    values: [scope, key],
  });
  return rows[0]?.owner;
}
