import type { SqlQuery } from '@parley/event-store';
import type pg from 'pg';
import { plannedAnew, runTransaction, withoutFsync } from '../database.ts';
import type { ReadLog } from '../log-reader.ts';
import { collectStatements, type Projection } from './projection.ts';

/** Large enough for set-based statements to pay, small enough for memory to stay flat. */
export const pageSize = 1_000;

export interface Progress {
  /** Where the work is in the log. */
  readonly position: number;
  /** Where it ends, as far as is known. */
  readonly head: number;
}
export type OnProgress = (progress: Progress) => void;

export interface FillOptions {
  readonly client: pg.Client;
  readonly projection: Projection;
  readonly schema: string;
  readonly read: ReadLog;
  readonly after: number;
  readonly upTo: number;
  /** What else belongs to a page's transaction. */
  readonly alongside: (from: number, to: number) => readonly SqlQuery[];
  readonly onProgress: OnProgress;
}

/** Projects a range of the log into a schema, page by page; the next page is read while one is written. */
export async function fill(options: FillOptions): Promise<void> {
  const { client, projection, schema, read, upTo, alongside, onProgress } = options;
  const readAfter = (after: number) => {
    const page = read({ after, upTo, limit: pageSize });
    // Its failure is met when it is awaited, which may be after the write of the page before has failed.
    page.catch(() => undefined);
    return page;
  };
  let position = options.after;
  let next = readAfter(position);
  while (position < upTo) {
    const { events, reached } = await next;
    if (reached < upTo) next = readAfter(reached);
    await runTransaction(client, [
      withoutFsync,
      plannedAnew,
      ...alongside(position, reached),
      ...(await collectStatements(projection, events, schema)),
    ]);
    position = reached;
    onProgress({ position, head: upTo });
  }
}
