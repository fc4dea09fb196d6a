import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';

export interface Clocks {
  /** Decides: schedules, windows, what is due. */
  readonly platform: Date;
  /** The same, unless a sandbox moved the platform's. What receivers compare with theirs is told by this one. */
  readonly world: Date;
}

/** Both from the database; the calls of one tick share a question. */
export function createClocks(sql: SqlExecutor): () => Promise<Clocks> {
  const load = createBatchLoader(async (calls: readonly null[]) => {
    const { rows } = await sql.query<Clocks & Record<string, unknown>>({
      name: 'webhook-clocks',
      text: 'select es.now() as platform, now() as world',
    });
    const [row] = rows;
    if (!row) throw new Error('The clocks gave no row.');
    return calls.map((): Clocks => row);
  });
  return () => load(null);
}
