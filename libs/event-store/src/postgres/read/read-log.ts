import { createDecoder, type DecodeEvents } from '../../decode-events.ts';
import { collectPage } from '../../log-page.ts';
import type { EventMetadata, JsonObject, LogPage, RecordedEvent } from '../../port.ts';
import type { SqlExecutor } from '../../sql.ts';
import { eventColumns, toRecordedEvent } from './event-row.ts';

interface LogRange {
  /** Events with a greater position. */
  readonly after: number;
  /** Up to and including this position. */
  readonly upTo: number;
  /** At most this many; fewer when they are large. */
  readonly limit: number;
  readonly types: readonly string[];
}

/** A page of the log in position order, decoded, read by whatever connection or transaction is given. */
export type LogReader = (sql: SqlExecutor, range: LogRange) => Promise<LogPage>;

interface Row {
  readonly position: number;
  readonly stream_id: string;
  readonly stream_version: number;
  readonly category: string;
  readonly account_id: number | null;
  readonly type: string;
  readonly schema_version: number;
  readonly event_id: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
  readonly recorded_at_text: string;
}

/** For views: `EventStore.readPage` reads through the store's own pool, this one also inside a transaction. */
export function createLogReader(decode: DecodeEvents = createDecoder()): LogReader {
  return (sql, { types, ...range }) =>
    collectPage(range, (after, limit) => readPart(sql, { ...range, after, limit, types }));

  async function readPart(
    sql: SqlExecutor,
    { after, upTo, limit, types }: LogRange,
  ): Promise<readonly RecordedEvent[]> {
    const { rows } = await sql.query<Row>({
      name: 'es-read-log',
      text: `select ${eventColumns} as recorded_at_text from es.events e
             where e.position > $1 and e.position <= $2 and e.type = any($3) order by e.position limit $4`,
      values: [after, upTo, types, limit],
    });
    return decode(
      rows.map((row) =>
        toRecordedEvent([
          row.position,
          row.stream_id,
          row.stream_version,
          row.category,
          row.account_id,
          row.type,
          row.schema_version,
          row.event_id,
          row.data,
          row.metadata,
          row.recorded_at_text,
        ]),
      ),
    );
  }
}
