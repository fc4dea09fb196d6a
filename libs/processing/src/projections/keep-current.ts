import { Nap } from '@parley/batching';
import { closeClient, createDecoder, type DecodeEvents, type EventStore } from '@parley/event-store';
import type pg from 'pg';
import { listBehind, lockCheckpoint } from '../checkpoint.ts';
import { openClient } from '../database.ts';
import { readOwnLog } from '../log-reader.ts';
import { backoffMs, pause } from '../outages/backoff.ts';
import type { OnProblem } from '../problem.ts';
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
/** A page is written, maybe behind a rebuild that swaps; milliseconds. */
const catchUpQuery = { query_timeout: 60_000 };

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
  const names = projections.map(({ checkpoint }) => checkpoint);
  const nap = new Nap(signal);
  // This copy's own appends are projected already.
  const unsubscribe = store.onAppended((own) => {
    if (own.length === 0) nap.wake();
  });
  for (let failures = 0; !signal.aborted; ) {
    try {
      const behind = new Set((await listBehind(pool, names)).map(({ processor }) => processor));
      for (const projection of projections)
        if (behind.has(projection.checkpoint)) await catchUp(options, projection);
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

/**
 * With the checkpoint locked, no append catches the projection up; had one done so before, nothing is left to do.
 */
async function catchUp(
  { pool, decode = createDecoder() }: KeepCurrentOptions,
  projection: Projection,
): Promise<void> {
  const client = await openClient(pool, 'keep-current', catchUpQuery);
  try {
    await client.query('begin');
    await lockCheckpoint(client, projection.checkpoint);
    const [range] = await listBehind(client, [projection.checkpoint]);
    if (range) {
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
