import { toMicroseconds } from './microseconds.ts';
import type { Moment, RecordedEvent } from './port.ts';

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
