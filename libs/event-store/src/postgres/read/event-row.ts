import type { EventMetadata, JsonObject, RecordedEvent } from '../../port.ts';

/** The time as text without a zone: independent of the session, with microseconds. */
export const eventColumns = `e.position, e.stream_id, e.stream_version, e.category, e.account_id, e.type,
  e.schema_version, e.event_id, e.data, e.metadata, (e.recorded_at at time zone 'UTC')::text`;

export type EventRow = [
  position: number,
  streamId: string,
  streamVersion: number,
  category: string,
  accountId: number | null,
  type: string,
  schemaVersion: number,
  eventId: string,
  data: JsonObject,
  metadata: EventMetadata,
  recordedAt: string,
];

/** What comes behind the event's columns is the reader's own. */
export function toRecordedEvent(
  row: readonly [...EventRow, ...unknown[]],
): RecordedEvent<string, JsonObject> {
  return {
    position: row[0],
    streamId: row[1],
    streamVersion: row[2],
    category: row[3],
    accountId: row[4],
    type: row[5],
    schemaVersion: row[6],
    eventId: row[7],
    data: row[8],
    metadata: row[9],
    recordedAt: toIso(row[10]),
  };
}

/** `2026-11-21 10:00:00.5` as Postgres prints it to `2026-11-21T10:00:00.500000Z`. */
export const toIso = (time: string): string =>
  `${time.slice(0, 10)}T${time.slice(11, 19)}.${time.slice(20).padEnd(6, '0')}Z`;
