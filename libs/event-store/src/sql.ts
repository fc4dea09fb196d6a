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

/** The events of one batch of appends, to be projected in its transaction. */
interface BatchToProject {
  readonly tx: SqlExecutor;
  /** In order. */
  readonly events: readonly RecordedEvent[];
  /** The position right before the first of them. */
  readonly previousHead: number;
  /** Others have appended without these views, which are where `es.checkpoints` says: first bring them to `previousHead`. */
  readonly isBehind: boolean;
}

/**
 * Writes views in the transaction of the append, so that a reader after `append` sees them.
 *
 * Queries issued without awaiting each other travel together, and `project` may resolve as soon as it has issued all
 * of them: the store then sends the commit right behind, and fails the batch when any of them fails. A failure with
 * SQLSTATE 40001 rolls the batch back and runs it again, `project` included; any other failure rejects the appends
 * that cause it and only those. Most batches are projected before they are appended, by what is foretold of them; when
 * it comes otherwise, everything is rolled back and `project` runs again. So it has no effects but its queries.
 */
export interface InlineProjector {
  /** What it keeps at the log's head, as named in `es.checkpoints`; `es.position_of` tells where each is. */
  readonly views: readonly string[];
  project(batch: BatchToProject): Promise<void>;
}
