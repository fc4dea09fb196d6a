import type { SqlExecutor } from '@parley/event-store';
import type { Reference } from '../../assistant/facts.ts';
import { assistantsTable, deletedReferencesTable } from './assistants-view.ts';
import { referenceName } from './net-assistant-changes.ts';

/**
 * Ids of assistants whose own events still point at something (`folder-12`): those after the id `after`, at most
 * `limit`.
 */
export async function assistantsReferringTo(
  sql: SqlExecutor,
  name: string,
  after: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'assistants-referring',
    text: `select id from ${assistantsTable} where refers_to @> array[$1] and id > $2 order by id limit $3`,
    values: [name, after, limit],
  });
  return rows.map(({ id }) => id);
}

/** Names (`folder-12`) of the references whose resource was deleted. */
export async function deletedAmong(
  sql: SqlExecutor,
  references: readonly Reference[],
): Promise<ReadonlySet<string>> {
  if (references.length === 0) return new Set();
  const { rows } = await sql.query<{ name: string }>({
    name: 'deleted-references',
    text: `select name from ${deletedReferencesTable} where name = any($1)`,
    values: [references.map(referenceName)],
  });
  return new Set(rows.map(({ name }) => name));
}
