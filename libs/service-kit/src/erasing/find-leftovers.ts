import type pg from 'pg';
import type { Person } from './destroy-keys.ts';
import type { Erasure } from './erasures.ts';
import { isMentionedIn, mentionsOf } from './mentions.ts';
import { isNotOfOthers } from './scrub.ts';

const undefinedTable = '42P01';

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Looks for the number in every table of the service's database, as a dump would show it. Rows of other accounts, who
 * may well know the same person, do not count where a row says whose it is.
 */
export async function findLeftovers(pool: pg.Pool, person: Person): Promise<Erasure['leftovers']> {
  const { rows: tables } = await pool.query<Table>(
    `select format('%I.%I', table_schema, table_name) as name, array_agg(column_name::text) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
     group by table_schema, table_name order by 1`,
  );
  const leftovers: { table: string; rows: number }[] = [];
  for (const { name, columns } of tables) {
    const isOwn = columns.includes('account_id')
      ? '(t.account_id = $3 or t.account_id is null)'
      : columns.includes('stream_id')
        ? isNotOfOthers('t', '$3')
        : '$3::int8 is not null';
    const query = {
      text: `select count(*)::float8 as rows from ${name} t where ${isMentionedIn('t::text', '$1', '$2')} and ${isOwn}`,
      values: [...mentionsOf(person), person.accountId],
    };
    const count = await pool.query<{ rows: number }>(query).then(({ rows }) => rows[0]?.rows, noneIfGone);
    if (count) leftovers.push({ table: name, rows: count });
  }
  return leftovers;
}

/** A verification drops its tables when it ends. */
function noneIfGone(error: unknown): number {
  if (Object(error).code === undefinedTable) return 0;
  throw error;
}
