import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';

/** The two clocks of a sandbox, read at the same moment. */
export interface Clocks {
  /** The clock that decides: schedules, windows, what is due. */
  readonly platform: Date;
  /**
   * The real time, which differs where a sandbox has moved the platform clock. Receivers compare it with their own
   * clock.
   */
  readonly world: Date;
}

/** Reads both clocks from the database; calls of one tick share a query. */
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
