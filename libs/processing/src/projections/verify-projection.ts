import { closeClient } from '@parley/event-store';
import { lockProjection } from '../checkpoint.ts';
import { openClient } from '../database.ts';
import { type Comparison, compareSchemas } from './compare-schemas.ts';
import { liveSchema } from './projection.ts';
import { dropSchema } from './schema.ts';
import { type Busy, fillShadow, type Shadow, type ShadowOptions, withShadow } from './shadow-run.ts';

export interface Verified extends Comparison {
  readonly kind: 'verified';
  /** The log position at which both sides were compared. */
  readonly position: number;
}

export interface VerifyOptions extends ShadowOptions {
  /** Called with the outcome while `listProjections` still says that it is being verified; waited for. */
  readonly onVerified?: (found: Verified) => Promise<void>;
}

const maxDifferences = 100;

/**
 * Makes the projection a second time from the log and compares every row with the live one, both at one position. A
 * difference is a defect: of the projection, or something else wrote its tables. Appends wait only while the shadow
 * catches up with less than a page and a snapshot is taken.
 */
export async function verifyProjection(options: VerifyOptions): Promise<Verified | Busy> {
  const { projection } = options;
  return withShadow(options, 'verify', 'verifying', async (shadow): Promise<Verified> => {
    const { client, schema } = shadow;
    await takeSnapshot(options, shadow);
    const comparison = await compareSchemas(client, liveSchema(projection), schema, maxDifferences);
    await client.query('commit');
    await dropSchema(client, schema);
    const found: Verified = { kind: 'verified', position: shadow.position, ...comparison };
    await options.onVerified?.(found);
    return found;
  });
}

/**
 * Leaves the shadow's connection in a transaction that sees both sides at one position. A second connection holds the
 * live side still meanwhile, because only what the shadow has committed is in the snapshot.
 */
async function takeSnapshot({ pool, projection, onProgress }: ShadowOptions, shadow: Shadow): Promise<void> {
  const holder = await openClient(pool, `verifying-${projection.name}`);
  try {
    await holder.query('begin');
    const livePosition = (await lockProjection(holder, projection.checkpoint)) ?? 0;
    await fillShadow(shadow, projection, livePosition, 'verifying', onProgress);
    await shadow.client.query('begin isolation level repeatable read read only');
    // The first query takes the snapshot.
    await shadow.client.query('select pg_current_snapshot()');
    await holder.query('commit');
  } finally {
    await closeClient(holder);
  }
}
