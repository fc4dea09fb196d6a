import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import type { Projection } from '@parley/processing';
import { itemsTable } from './organisers-view.ts';

/** How many assistants are in a folder or carry a label, by its id; 0 when it is unknown. */
export const createAssistantCounts = (
  sql: SqlExecutor,
  view: Projection,
): ((id: number) => Promise<number>) =>
  createBatchLoader(async (ids: readonly number[]) => {
    const { rows } = await sql.query<{ count: number }>({
      name: `count-assistants-${view.name}`,
      text: `select coalesce(i.assistants_count, 0) as count from unnest($1::int8[]) with ordinality w (id, place)
             left join ${itemsTable(view)} i on i.id = w.id order by w.place`,
      values: [ids],
    });
    return rows.map(({ count }) => count);
  });
