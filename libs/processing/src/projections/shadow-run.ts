import { closeClient, createDecoder, type DecodeEvents } from '@parley/event-store';
import type pg from 'pg';
import { readPosition } from '../checkpoint.ts';
import { openClient, runTransaction, tryLock } from '../database.ts';
import { type ReadLog, readOwnLog } from '../log-reader.ts';
import { describeError } from '../problem.ts';
import { fill, type OnProgress, pageSize } from './fill.ts';
import { type Projection, shadowSchema } from './projection.ts';
import { type ProjectionStatus, setStatus, shadowLock, takeStatus } from './projection-status.ts';
import { createTables } from './schema.ts';

export interface ShadowOptions {
  readonly pool: pg.Pool;
  readonly projection: Projection;
  readonly decode?: DecodeEvents;
  /** The log it is made from; the service's own when absent. */
  readonly read?: ReadLog;
  readonly onProgress?: OnProgress;
  /** Called once it is this run's turn and `listProjections` says so; waited for. */
  readonly onStarted?: () => void | Promise<void>;
}

/** A second copy of a projection's tables while it is filled beside the live ones. */
export interface Shadow {
  readonly client: pg.Client;
  readonly schema: string;
  readonly read: ReadLog;
  /** Where in the log the shadow is. */
  position: number;
}

/** Another rebuild or verification of the projection is under way. */
export interface Busy {
  readonly kind: 'busy';
}

/**
 * Fills a shadow until it is less than a page behind the live tables, and hands it over; the rest must be done while
 * writers of the live tables wait. Commands and queries go on all the time. When a rebuild rejects, `listProjections`
 * says `failed` before anybody could take it for done.
 */
export async function withShadow<Result>(
  options: ShadowOptions,
  purpose: 'next' | 'verify',
  status: ProjectionStatus,
  finish: (shadow: Shadow) => Promise<Result>,
): Promise<Result | Busy> {
  const { pool, projection, decode = createDecoder() } = options;
  const client = await openClient(pool, `${status}-${projection.name}`);
  try {
    if (!(await tryLock(client, shadowLock(projection)))) return { kind: 'busy' };
    const schema = shadowSchema(projection, purpose);
    const leftBy = purpose === 'next' ? 'verify' : 'next';
    await runTransaction(client, [
      ...createTables(projection, schema),
      // What another run has left that was broken off: whoever is erased would stay in it.
      { text: `drop schema if exists ${shadowSchema(projection, leftBy)} cascade` },
      // After going back a release the row is the newer version's.
      takeStatus(projection, status, 0),
    ]);
    const read = options.read ?? readOwnLog(pool, projection.handles, decode);
    const shadow: Shadow = { client, schema, read, position: 0 };
    let end = setStatus(projection, 'live');
    try {
      await options.onStarted?.();
      for (;;) {
        const live = (await readPosition(pool, projection.checkpoint)) ?? 0;
        const isNearlyThere = live - shadow.position < pageSize;
        await fillShadow(shadow, projection, live, status, options.onProgress);
        if (isNearlyThere) break;
      }
      return await finish(shadow);
    } catch (error) {
      if (status === 'rebuilding') end = setStatus(projection, 'failed', { error: describeError(error) });
      throw error;
    } finally {
      // Not on the client, whose transaction may have failed.
      await pool.query(end).catch(() => undefined);
    }
  } finally {
    await closeClient(client);
  }
}

export async function fillShadow(
  shadow: Shadow,
  projection: Projection,
  upTo: number,
  status: ProjectionStatus,
  onProgress: OnProgress = () => undefined,
): Promise<void> {
  const { client, schema, read, position } = shadow;
  if (position >= upTo) return;
  await fill({
    client,
    projection,
    schema,
    read,
    after: position,
    upTo,
    alongside: (_from, to) => [setStatus(projection, status, { progress: to })],
    onProgress,
  });
  shadow.position = upTo;
}
