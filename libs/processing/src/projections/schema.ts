import { createHash } from 'node:crypto';
import type { SqlExecutor, SqlQuery } from '@parley/event-store';
import type pg from 'pg';
import { liveSchema, type Projection } from './projection.ts';

/** Identifies the tables' definition; kept as the schema's comment, so that it moves along when schemas are renamed. */
const definitionOf = (projection: Projection): string =>
  createHash('sha256').update(projection.tables('schema')).digest('hex');

/** What `hasLiveTables` knows the tables of projections by, as `folders@2`. */
export const tableDigests = (projections: readonly Projection[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    projections.map((projection) => [`${projection.name}@${projection.version}`, definitionOf(projection)]),
  );

/** Statements that make the projection's empty tables in `schema`, in place of whatever is there. */
export const createTables = (projection: Projection, schema: string): SqlQuery[] => [
  { text: `drop schema if exists ${schema} cascade` },
  { text: `create schema ${schema}` },
  { text: `comment on schema ${schema} is '${definitionOf(projection)}'` },
  { text: projection.tables(schema) },
];

/** Is the live schema there? Throws when its tables were made by another definition of the same version. */
export async function hasLiveTables(sql: SqlExecutor, projection: Projection): Promise<boolean> {
  const { rows } = await sql.query<{ definition: string | null }>({
    text: `select obj_description(oid, 'pg_namespace') as definition from pg_namespace where nspname = $1`,
    values: [liveSchema(projection)],
  });
  const [found] = rows;
  if (found && found.definition !== definitionOf(projection))
    throw new Error(
      `The tables of ${projection.name}@${projection.version} have changed: raise its version.`,
    );
  return found !== undefined;
}

export async function listTables(sql: SqlExecutor, schema: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>({
    text: `select relname as name from pg_class
           where relnamespace = to_regnamespace($1) and relkind in ('r', 'p') order by relname`,
    values: [schema],
  });
  return rows.map(({ name }) => name);
}

/** Without statistics the first queries after a swap would be planned for empty tables. */
export async function analyseTables(client: pg.Client, schema: string): Promise<void> {
  for (const table of await listTables(client, schema)) await client.query(`analyze ${schema}."${table}"`);
}

/**
 * Drops a schema that nobody can name any more. Statements that began before may still read it: then it is left for
 * the next rebuild.
 */
export async function dropSchema(client: pg.Client, schema: string): Promise<void> {
  await client.query(`set lock_timeout = '5s'`);
  try {
    await client.query(`drop schema if exists ${schema} cascade`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error;
  } finally {
    await client.query('set lock_timeout = 0');
  }
}
