import type { RecordedEvent, SqlQuery } from '@parley/event-store';
import type pg from 'pg';
import { plannedAnew, runTransaction, withoutFsync } from '../database.ts';
import type { ReadLog } from '../log-reader.ts';
import { isOutage } from '../outages/backoff.ts';
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

/** A view cannot take an event. Without both nobody finds out why a service does not start. */
class NotProjected extends Error {
  override readonly name = 'NotProjected';

  constructor({ name, version }: Projection, { position, type }: RecordedEvent, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Version ${version} of the view ${name} cannot take ${type} at ${position}: ${reason}`, { cause });
  }
}

/**
 * Projects a range of the log into a schema, page by page; the next page is read while one is written. A page that fails is
 * written event by event, so that it is known which one the view cannot take: rejects with `NotProjected` then.
 */
export async function fill(options: FillOptions): Promise<void> {
  const { client, projection, schema, read, upTo, alongside, onProgress } = options;
  const readAfter = (after: number) => {
    const page = read({ after, upTo, limit: pageSize });
    // Its failure is met when it is awaited, which may be after the write of the page before has failed.
    page.catch(() => undefined);
    return page;
  };
  let position = options.after;
  const write = async (events: readonly RecordedEvent[], reached: number) => {
    await runTransaction(client, [
      withoutFsync,
      plannedAnew,
      ...alongside(position, reached),
      ...(await collectStatements(projection, events, schema)),
    ]);
    position = reached;
  };
  let next = readAfter(position);
  while (position < upTo) {
    const { events, reached } = await next;
    if (reached < upTo) next = readAfter(reached);
    try {
      await write(events, reached);
    } catch (error) {
      if (isOutage(error)) throw error;
      for (const event of events)
        await write([event], event.position).catch((cause: unknown) => {
          throw isOutage(cause) ? cause : new NotProjected(projection, event, cause);
        });
      if (position < reached) await write([], reached);
    }
    onProgress({ position, head: upTo });
  }
}
