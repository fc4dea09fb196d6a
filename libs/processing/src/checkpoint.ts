import { lookUpTime, type SqlExecutor, type SqlQuery } from '@parley/event-store';

/** Another process moved the checkpoint: whatever this one was about to write has been written, or must not be. */
export class CheckpointLost extends Error {
  override readonly name = 'CheckpointLost';
}

/** What `es.advance_checkpoint` raises when the checkpoint is elsewhere. */
const serializationFailure = '40001';

export const isCheckpointLost = (error: unknown): boolean =>
  error instanceof CheckpointLost ||
  (error instanceof Error && 'code' in error && error.code === serializationFailure);

/** Fences the transaction it is part of: fails it unless the checkpoint is at `from`. */
export const advanceCheckpoint = (processor: string, from: number, to: number): SqlQuery => ({
  name: 'processing-advance-checkpoint',
  text: 'select es.advance_checkpoint($1, $2, $3)',
  values: [processor, from, to],
});

/** The checkpoint, made before the first event when the processor has none. */
export async function loadCheckpoint(sql: SqlExecutor, processor: string): Promise<number> {
  const { rows } = await sql.query<{ position: number }>({
    name: 'processing-load-checkpoint',
    text: `with made as (
             insert into es.checkpoints (processor, position) values ($1, 0) on conflict do nothing returning position
           )
           select position as position from made
           union all select position from es.checkpoints where processor = $1`,
    values: [processor],
  });
  return rows[0]?.position ?? 0;
}

/** How far a projection is: at the head when that vouches for it, else at its checkpoint; undefined without one. */
export async function readPosition(sql: SqlExecutor, processor: string): Promise<number | undefined> {
  const { rows } = await sql.query<{ position: number | null }>({
    name: 'processing-position-of',
    text: 'select es.position_of($1) as position',
    values: [processor],
  });
  return rows[0]?.position ?? undefined;
}

/** A projection that somebody has to catch up. */
export interface Behind {
  readonly processor: string;
  /** Its checkpoint. */
  readonly after: number;
  /** The log's head, which does not vouch for it. */
  readonly upTo: number;
}

/**
 * Which of them are behind, and how far, by one look: with two, an append that the head vouches for may come between
 * them, and look like something that is missing.
 */
export async function listBehind(sql: SqlExecutor, processors: readonly string[]): Promise<Behind[]> {
  const { rows } = await sql.query<Behind>({
    name: 'processing-list-behind',
    text: `select c.processor, c.position as after, h.position as "upTo"
           from es.checkpoints c cross join es.head h
           where c.processor = any($1) and c.processor <> all(h.views) and c.position < h.position`,
    values: [processors],
    ...lookUpTime,
  });
  return rows;
}

/**
 * Locks the checkpoint until the transaction ends: whoever would catch the projection up waits. Appends that keep it at
 * the head do not.
 */
export async function lockCheckpoint(sql: SqlExecutor, processor: string): Promise<void> {
  await sql.query({
    text: 'select from es.checkpoints where processor = $1 for update',
    values: [processor],
  });
}

/** As `lockCheckpoint`, and every append waits, too: nobody writes these views. Reads their position. */
export async function lockProjection(sql: SqlExecutor, processor: string): Promise<number | undefined> {
  await sql.query({ text: 'select from es.head for update' });
  await lockCheckpoint(sql, processor);
  return readPosition(sql, processor);
}
