import type { SqlExecutor } from '@parley/event-store';
import type { ReadLog } from '../log-reader.ts';
import { pageSize } from './fill.ts';
import { collectStatements, type Projection } from './projection.ts';

/** Projects a short range of the log within the transaction of `sql`. */
export async function projectInside(
  sql: SqlExecutor,
  projection: Projection,
  schema: string,
  read: ReadLog,
  range: { readonly after: number; readonly upTo: number },
): Promise<void> {
  const { upTo } = range;
  for (let after = range.after; after < upTo; ) {
    const { events, reached } = await read({ after, upTo, limit: pageSize });
    for (const statement of await collectStatements(projection, events, schema)) await sql.query(statement);
    after = reached;
  }
}
