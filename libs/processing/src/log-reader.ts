import type { RecordedEvent, SqlExecutor, Upcaster } from '@parley/event-store';

/** Events after `after`, up to and including `upTo`, of the types it was made for, in order. */
export type ReadLog = (range: {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}) => Promise<readonly RecordedEvent[]>;

/** Reads the service's own log through a pool, or inside the transaction whose `sql` it is given. */
export const readOwnLog =
  (_sql: SqlExecutor, _types: readonly string[], _upcasters: readonly Upcaster[]): ReadLog =>
  () =>
    Promise.reject(new Error('not yet'));
