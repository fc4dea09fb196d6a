import { closeClient } from '@parley/event-store';
import type pg from 'pg';
import { lockProjection } from '../checkpoint.ts';
import { openClient } from '../database.ts';
import { projectInside } from './project-inside.ts';
import { liveSchema, type Projection, shadowSchema } from './projection.ts';
import { takeStatus } from './projection-status.ts';
import { analyseTables, dropSchema } from './schema.ts';
import { type Busy, type Shadow, type ShadowOptions, withShadow } from './shadow-run.ts';

export interface Rebuilt {
  readonly kind: 'rebuilt';
  /** The log position its rows show. */
  readonly position: number;
}

/**
 * Makes the projection's tables anew from the log, beside the live ones, and swaps them in one transaction. Reads and
 * appends go on; for the last stretch of less than a page, the appends wait. Prepared statements of readers stay valid.
 * Also brings back tables that are missing or damaged. A failure, or the death of the process, changes nothing.
 */
export async function rebuildProjection(options: ShadowOptions): Promise<Rebuilt | Busy> {
  const { pool, projection } = options;
  const old = shadowSchema(projection, 'old');
  const outcome = await withShadow(options, 'next', 'rebuilding', async (shadow): Promise<Rebuilt> => {
    await analyseTables(shadow.client, shadow.schema);
    await shadow.client.query(`drop schema if exists ${old} cascade`);
    await swap(shadow, projection);
    return { kind: 'rebuilt', position: shadow.position };
  });
  // The rebuild is done: what stays of the old tables goes with the next one.
  if (outcome.kind === 'rebuilt') await dropOld(pool, old).catch(() => undefined);
  return outcome;
}

async function dropOld(pool: pg.Pool, schema: string): Promise<void> {
  const client = await openClient(pool, 'drop-old-tables');
  try {
    await dropSchema(client, schema);
  } finally {
    await closeClient(client);
  }
}

/**
 * With the projection locked, whoever would write the live tables waits, and everything up to it is visible. All on the
 * connection that holds the rebuild's lock: without the lock there is no swap.
 */
async function swap(shadow: Shadow, projection: Projection): Promise<void> {
  const { client, schema, read } = shadow;
  const live = liveSchema(projection);
  await client.query('begin');
  const upTo = (await lockProjection(client, projection.checkpoint)) ?? 0;
  await projectInside(client, projection, schema, read, { after: shadow.position, upTo });
  shadow.position = Math.max(shadow.position, upTo);
  const { rows } = await client.query<{ found: boolean }>({
    text: 'select to_regnamespace($1) is not null as found',
    values: [live],
  });
  if (rows[0]?.found) await client.query(`alter schema ${live} rename to ${shadowSchema(projection, 'old')}`);
  await client.query(`alter schema ${schema} rename to ${live}`);
  await client.query({
    text: `insert into es.checkpoints (processor, position) values ($1, $2)
           on conflict (processor) do update set position = excluded.position, updated_at = now()`,
    values: [projection.checkpoint, shadow.position],
  });
  await client.query(takeStatus(projection, 'live', null));
  await client.query('commit');
}
