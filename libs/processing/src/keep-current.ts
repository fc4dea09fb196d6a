import { createDecoder, type DecodeEvents, type EventStore, type SqlExecutor } from '@parley/event-store';
import type pg from 'pg';
import { backoffMs, pause } from './backoff.ts';
import { lockCheckpoint } from './checkpoint.ts';
import { closeClient, openClient } from './database.ts';
import { readOwnLog } from './log-reader.ts';
import { Nap } from './nap.ts';
import type { OnProblem } from './problem.ts';
import { projectInside } from './project-inside.ts';
import { liveSchema, type Projection } from './projection.ts';

export interface KeepCurrentOptions {
  readonly store: Pick<EventStore, 'onAppended'>;
  readonly pool: pg.Pool;
  /** Inline ones. */
  readonly projections: readonly Projection[];
  readonly decode?: DecodeEvents;
  readonly onProblem?: OnProblem;
}

const pollMs = 1_000;
/** Appends of this copy are projected already: looking after each of them would be waste. */
const restMs = 50;

/**
 * For the time of a rolling update: copies of another version append without writing this version's views, which would
 * stay behind until this copy's next append. This brings them up soon after, so that the older copies' readers see
 * what the newer copies acknowledge. With copies of one version it finds nothing to do.
 */
export function keepProjectionsCurrent(options: KeepCurrentOptions): { close(): Promise<void> } {
  const closing = new AbortController();
  const running = options.projections.length === 0 ? Promise.resolve() : run(options, closing.signal);
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

async function run(options: KeepCurrentOptions, signal: AbortSignal): Promise<void> {
  const { store, pool, projections, onProblem = () => undefined } = options;
  const nap = new Nap(signal);
  // This copy's own appends are projected already.
  const unsubscribe = store.onAppended((own) => {
    if (own.length === 0) nap.wake();
  });
  for (let failures = 0; !signal.aborted; ) {
    try {
      for (const { projection } of await listBehind(pool, projections)) await catchUp(options, projection);
      failures = 0;
      await pause(restMs, signal);
      await nap.sleep(pollMs);
    } catch (error) {
      failures += 1;
      onProblem({
        kind: 'retrying',
        processor: 'inline projections',
        error,
        attempt: failures,
        position: null,
      });
      await pause(backoffMs(failures), signal);
    }
  }
  unsubscribe();
}

interface Behind {
  readonly projection: Projection;
  /** Its checkpoint. */
  readonly after: number;
  /** The log's head, which does not vouch for it. */
  readonly upTo: number;
}

async function listBehind(sql: SqlExecutor, projections: readonly Projection[]): Promise<Behind[]> {
  const { rows } = await sql.query<{ processor: string; after: number; upTo: number }>({
    name: 'processing-list-behind',
    text: `select c.processor, c.position as after, h.position as "upTo"
           from es.checkpoints c cross join es.head h
           where c.processor = any($1) and c.processor <> all(h.views) and c.position < h.position`,
    values: [projections.map(({ checkpoint }) => checkpoint)],
  });
  return projections.flatMap((projection) =>
    rows
      .filter(({ processor }) => processor === projection.checkpoint)
      .map(({ after, upTo }) => ({ projection, after, upTo })),
  );
}

/**
 * With the checkpoint locked, no append catches the projection up. One look then tells whether one had done so before,
 * and how far there is to go: appends that the head vouches for do not wait, and lie between any two looks.
 */
async function catchUp(
  { pool, decode = createDecoder() }: KeepCurrentOptions,
  projection: Projection,
): Promise<void> {
  const client = await openClient(pool, 'keep-current');
  try {
    await client.query('begin');
    await lockCheckpoint(client, projection.checkpoint);
    for (const range of await listBehind(client, [projection])) {
      const read = readOwnLog(client, projection.handles, decode);
      await projectInside(client, projection, liveSchema(projection), read, range);
      await client.query({
        text: 'update es.checkpoints set position = $2, updated_at = now() where processor = $1',
        values: [projection.checkpoint, range.upTo],
      });
    }
    await client.query('commit');
  } finally {
    await closeClient(client);
  }
}
