import { createLogReader, type DecodeEvents, type LogPage, type SqlExecutor } from '@parley/event-store';

/** A page of the events after `after`, up to and including `upTo`, of the types it was made for, in order. */
export type ReadLog = (range: {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}) => Promise<LogPage>;

/** Reads the service's own log through a pool, or inside the transaction whose `sql` it is given. */
export function readOwnLog(sql: SqlExecutor, types: readonly string[], decode: DecodeEvents): ReadLog {
  const readLog = createLogReader(decode);
  return (range) => readLog(sql, { ...range, types });
}
