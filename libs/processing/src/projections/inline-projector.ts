import {
  createDecoder,
  type DecodeEvents,
  type InlineProjector,
  type SqlExecutor,
} from '@parley/event-store';
import { readOwnLog } from '../log-reader.ts';
import { projectInside } from './project-inside.ts';
import { collectStatements, liveSchema, type Projection } from './projection.ts';

/**
 * Writes the projections in the append's transaction. Normally all of them are at the previous head, and what they write
 * is sent in one go. When a copy that does not know them has appended meanwhile, they first catch up from the log.
 */
export function createInlineProjector(
  projections: readonly Projection[],
  decode: DecodeEvents = createDecoder(),
): InlineProjector {
  return {
    views: projections.map(({ checkpoint }) => checkpoint),
    async project({ tx, events, previousHead, isBehind }) {
      if (isBehind && projections.length > 0) await catchUpInside(tx, projections, previousHead, decode);
      // The store fails the batch when any of its queries fails.
      for (const projection of projections)
        for (const statement of await collectStatements(projection, events, liveSchema(projection)))
          tx.query(statement).catch(() => undefined);
    },
  };
}

/** In the append's transaction, under the append lock: nothing is appended meanwhile, and whoever else writes these views waits. */
async function catchUpInside(
  tx: SqlExecutor,
  projections: readonly Projection[],
  upTo: number,
  decode: DecodeEvents,
): Promise<void> {
  const { rows } = await tx.query<{ processor: string; position: number }>({
    name: 'processing-lock-checkpoints',
    text: 'select processor, position from es.checkpoints where processor = any($1) for update',
    values: [projections.map(({ checkpoint }) => checkpoint)],
  });
  const positions = new Map(rows.map(({ processor, position }) => [processor, position]));
  for (const projection of projections) {
    const after = positions.get(projection.checkpoint);
    if (after === undefined)
      throw new Error(
        `${projection.checkpoint} has no tables: prepareProjections comes before the first append.`,
      );
    const read = readOwnLog(tx, projection.handles, decode);
    await projectInside(tx, projection, liveSchema(projection), read, { after, upTo });
  }
  await tx.query({
    name: 'processing-set-checkpoints',
    text: 'update es.checkpoints set position = $2, updated_at = now() where processor = any($1)',
    values: [projections.map(({ checkpoint }) => checkpoint), upTo],
  });
}
