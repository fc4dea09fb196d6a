import { setTimeout as sleep } from 'node:timers/promises';
import { closeClient, createDecoder, type DecodeEvents } from '@parley/event-store';
import type pg from 'pg';
import { advanceCheckpoint, isCheckpointLost, listBehind, readPosition } from '../checkpoint.ts';
import { openClient, runTransaction, tryLock, unlock } from '../database.ts';
import { type ReadLog, readOwnLog } from '../log-reader.ts';
import { fill, type OnProgress, type Progress, pageSize } from './fill.ts';
import { liveSchema, type Projection, shadowSchemas } from './projection.ts';
import { prepareLock, registerProjection } from './projection-status.ts';
import { createTables, hasLiveTables } from './schema.ts';

const lockPollMs = 100;

/**
 * Makes every projection's live tables where they are missing and brings them up to the log's head; to be awaited when
 * a service starts, before it answers anything. Copies that start together build a projection once, a copy killed
 * midway is continued, and tables of other versions stay as they are for the copies that use them; only versions
 * before the previous one are dropped. `onProgress` is told of another copy's work, too, without how far that is. Rejects
 * when a projection fails, or when its tables changed under one version.
 */
export async function prepareProjections(
  pool: pg.Pool,
  projections: readonly Projection[],
  onProgress: (projection: Projection, progress?: Progress) => void = () => undefined,
  decode: DecodeEvents = createDecoder(),
): Promise<void> {
  const client = await openClient(pool, 'prepare-projections');
  try {
    for (const projection of projections) {
      const read = readOwnLog(pool, projection.handles, decode);
      const onProgressOfIt = (progress?: Progress) => onProgress(projection, progress);
      const work = async () => {
        await makeLiveTables(client, projection);
        await catchUp(client, projection, read, onProgressOfIt);
        await dropForgottenVersions(client, projection);
      };
      await alone(client, projection, work, onProgressOfIt);
    }
  } finally {
    await closeClient(client);
  }
}

/**
 * Waits for other copies that prepare the same projection, and says when they have got on. The lock ends with the
 * connection at the latest.
 */
async function alone(
  client: pg.Client,
  projection: Projection,
  work: () => Promise<void>,
  onOthersProgress: () => void,
): Promise<void> {
  const lock = prepareLock(projection);
  for (let position: number | undefined; !(await tryLock(client, lock)); ) {
    const before = position;
    position = await readPosition(client, projection.checkpoint);
    if (position !== before) onOthersProgress();
    await sleep(lockPollMs);
  }
  await work();
  await unlock(client, lock);
}

/** Empty tables and a checkpoint at 0, unless they are there. */
async function makeLiveTables(client: pg.Client, projection: Projection): Promise<void> {
  if (await hasLiveTables(client, projection)) return;
  await runTransaction(client, [
    { text: 'update es.head set views = array_remove(views, $1)', values: [projection.checkpoint] },
    ...createTables(projection, liveSchema(projection)),
    {
      text: `insert into es.checkpoints (processor, position) values ($1, 0)
             on conflict (processor) do update set position = 0, updated_at = now()`,
      values: [projection.checkpoint],
    },
    registerProjection(projection),
  ]);
}

/** Until a page comes back that is not full: what is appended from then on, the appends project themselves. */
async function catchUp(
  client: pg.Client,
  projection: Projection,
  read: ReadLog,
  onProgress: OnProgress,
): Promise<void> {
  for (;;) {
    const [range] = await listBehind(client, [projection.checkpoint]);
    if (!range) return;
    const { after, upTo } = range;
    try {
      await fill({
        client,
        projection,
        schema: liveSchema(projection),
        read,
        after,
        upTo,
        alongside: (from, to) => [advanceCheckpoint(projection.checkpoint, from, to)],
        onProgress,
      });
      if (upTo - after < pageSize) return;
    } catch (error) {
      // An append of another copy caught it up in its own transaction: go on from there.
      if (!isCheckpointLost(error)) throw error;
    }
  }
}

/** Copies of the previous version may still run, or be started again to go back; nothing uses those before it. */
async function dropForgottenVersions(client: pg.Client, projection: Projection): Promise<void> {
  const versions = await listVersions(client, projection);
  const earlier = versions.filter(({ version }) => version < projection.version);
  for (const { version } of earlier.slice(1)) await dropVersion(client, projection, version);
}

/**
 * Drops the tables of the projection's other versions, unless somebody has kept them current: copies that use them are
 * at most seconds behind. `head` is a position that the log had some seconds ago.
 */
export async function dropUnusedVersions(pool: pg.Pool, projection: Projection, head: number): Promise<void> {
  const client = await openClient(pool, 'drop-versions');
  try {
    for (const { version, position } of await listVersions(client, projection))
      if (version !== projection.version && position < head) await dropVersion(client, projection, version);
  } finally {
    await closeClient(client);
  }
}

interface KnownVersion {
  readonly version: number;
  /** Where in the log its tables are. */
  readonly position: number;
}

/** The newest first. */
async function listVersions(client: pg.Client, { name }: Projection): Promise<readonly KnownVersion[]> {
  const { rows } = await client.query<KnownVersion>({
    text: `select substring(processor from '@(\\d+)$')::int4 as version, es.position_of(processor) as position
           from es.checkpoints where starts_with(processor, $1) order by version desc`,
    values: [`projection:${name}@`],
  });
  return rows;
}

const dropVersion = (client: pg.Client, { name }: Projection, version: number): Promise<void> =>
  runTransaction(client, [
    ...[liveSchema({ name, version }), ...shadowSchemas({ name, version })].map((schema) => ({
      text: `drop schema if exists ${schema} cascade`,
    })),
    {
      text: 'delete from es.checkpoints where processor = $1',
      values: [`projection:${name}@${version}`],
    },
  ]);
