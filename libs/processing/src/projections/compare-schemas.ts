import type { SqlExecutor } from '@parley/event-store';
import { listTables } from './schema.ts';

interface RowDifference {
  readonly table: string;
  /** The row's primary key, its columns joined by `/`; the whole row in a table without one. */
  readonly key: string;
  /** The row as JSON text; null where that side has none. */
  readonly live: string | null;
  readonly expected: string | null;
}

export interface Comparison {
  /** Rows compared, on the expected side. */
  readonly rows: number;
  /** How many rows differ; `differences` names the first of them. */
  readonly differing: number;
  readonly differences: readonly RowDifference[];
}

/** Compares all tables of two schemas row by row, in the database. Run it in one snapshot. */
export async function compareSchemas(
  sql: SqlExecutor,
  live: string,
  expected: string,
  maxDifferences: number,
): Promise<Comparison> {
  let rows = 0;
  let differing = 0;
  const differences: RowDifference[] = [];
  for (const table of await listTables(sql, expected)) {
    const key = await keyExpression(sql, expected, table);
    const side = (schema: string) =>
      `select ${key} as key, to_jsonb(t)::text as row from ${schema}."${table}" t`;
    const compared = await sql.query<{
      key: string;
      live: string | null;
      expected: string | null;
      total: number;
    }>({
      text: `select coalesce(l.key, e.key) as key, l.row as live, e.row as expected, count(*) over () as total
             from (${side(live)}) l full join (${side(expected)}) e on l.key = e.key
             where l.row is distinct from e.row
             order by 1 limit $1`,
      values: [maxDifferences],
    });
    const counted = await sql.query<{ rows: number }>({
      text: `select count(*) as rows from ${expected}."${table}"`,
    });
    rows += counted.rows[0]?.rows ?? 0;
    differing += compared.rows[0]?.total ?? 0;
    for (const row of compared.rows.slice(0, maxDifferences - differences.length))
      differences.push({ table, key: row.key, live: row.live, expected: row.expected });
  }
  return { rows, differing, differences };
}

/** SQL for what tells a row from the others of its table `t`. */
async function keyExpression(sql: SqlExecutor, schema: string, table: string): Promise<string> {
  const { rows } = await sql.query<{ name: string }>({
    text: `select quote_ident(a.attname) as name
           from pg_index i
           cross join unnest(i.indkey) with ordinality k (attnum, place)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
           where i.indisprimary and i.indrelid = to_regclass($1)
           order by k.place`,
    values: [`${schema}."${table}"`],
  });
  if (rows.length > 0) return `concat_ws('/', ${rows.map(({ name }) => `t.${name}`).join(', ')})`;
  // Equal rows are told apart by their number, so that one too many is found as well.
  return `to_jsonb(t)::text || '#' || row_number() over (partition by to_jsonb(t)::text)`;
}
