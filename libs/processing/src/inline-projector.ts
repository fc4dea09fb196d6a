import type { InlineProjector, RecordedEvent, SqlExecutor, Upcaster } from '@parley/event-store';
import { isCheckpointLost } from './checkpoint.ts';
import { readOwnLog } from './log-reader.ts';
import { projectInside } from './project-inside.ts';
import { collectStatements, liveSchema, type Projection } from './projection.ts';

/**
 * Writes the projections in the append's transaction. Normally all of them are at the previous head, and everything is
 * sent in one go behind a fence that fails when they are not. Then the store runs the batch again, and the projections
 * first catch up from the log: a copy that does not know them has appended meanwhile.
 */
export function createInlineProjector(
  projections: readonly Projection[],
  upcasters: readonly Upcaster[] = [],
): InlineProjector {
  const checkpoints = projections.map(({ checkpoint }) => checkpoint);
  let isBehind = false;

  async function issue(tx: SqlExecutor, events: readonly RecordedEvent[], from: number, to: number) {
    const fence = tx.query({
      name: 'processing-advance-checkpoints',
      text: 'select es.advance_checkpoint(checkpoint, $2, $3) from unnest($1::text[]) checkpoint',
      values: [checkpoints, from, to],
    });
    // The store fails the batch when any of its queries fails; here only the reason matters.
    fence.catch((error: unknown) => {
      if (isCheckpointLost(error)) isBehind = true;
    });
    for (const projection of projections)
      for (const statement of await collectStatements(projection, events, liveSchema(projection)))
        tx.query(statement).catch(() => undefined);
  }

  return {
    async project(tx, events, previousHead) {
      const last = events.at(-1);
      if (!last || projections.length === 0) return;
      if (isBehind) {
        await catchUpInside(tx, projections, previousHead, upcasters);
        isBehind = false;
      }
      await issue(tx, events, previousHead, last.position);
    },
  };
}

/** In the append's transaction, under the append lock: nothing can be appended meanwhile. */
async function catchUpInside(
  tx: SqlExecutor,
  projections: readonly Projection[],
  upTo: number,
  upcasters: readonly Upcaster[],
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
    const read = readOwnLog(tx, projection.handles, upcasters);
    await projectInside(tx, projection, liveSchema(projection), read, { after, upTo });
  }
  await tx.query({
    name: 'processing-set-checkpoints',
    text: 'update es.checkpoints set position = $2, updated_at = now() where processor = any($1)',
    values: [projections.map(({ checkpoint }) => checkpoint), upTo],
  });
}
