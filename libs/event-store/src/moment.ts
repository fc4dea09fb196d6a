import { toMicroseconds } from './microseconds.ts';
import type { RecordedEvent } from './port.ts';

/** The newest event wanted: a version of the stream, a position of the log, or an ISO 8601 time on the platform clock. */
export interface Moment {
  readonly version?: number;
  readonly position?: number;
  readonly time?: string;
}

/** Whether an event had happened at a moment. */
export function happenedBy({
  version = Number.POSITIVE_INFINITY,
  position = Number.POSITIVE_INFINITY,
  time,
}: Moment): (event: Pick<RecordedEvent, 'streamVersion' | 'position' | 'recordedAt'>) => boolean {
  const until = time === undefined ? Number.POSITIVE_INFINITY : toMicroseconds(time);
  return (event) =>
    event.streamVersion <= version &&
    event.position <= position &&
    (time === undefined || toMicroseconds(event.recordedAt) <= until);
}
