import type { RecordedEvent } from './port.ts';

export interface SqlQuery {
  /** Makes it a prepared statement of the connection; one name belongs to one text. */
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

export interface SqlResult<Row> {
  readonly rows: Row[];
  readonly rowCount: number | null;
}

/** Runs SQL: a pool, a client, or one transaction. `int8` comes as a number. */
export interface SqlExecutor {
  query<Row extends object = Record<string, unknown>>(query: SqlQuery): Promise<SqlResult<Row>>;
}

/**
 * Writes read models in the transaction of the append, so that a reader after `append` sees them.
 *
 * Queries issued without awaiting each other travel together, and `project` may resolve as soon as it has issued all
 * of them: the store then sends the commit right behind, and fails the batch when any of them fails. A failure with
 * SQLSTATE 40001 (`es.advance_checkpoint` raises it) rolls the batch back and runs it again, `project` included; any
 * other failure rejects the appends that cause it and only those.
 */
export interface InlineProjector {
  /** `events` are the batch's, in order; `previousHead` is the position right before the first of them. */
  project(tx: SqlExecutor, events: readonly RecordedEvent[], previousHead: number): Promise<void>;
}
