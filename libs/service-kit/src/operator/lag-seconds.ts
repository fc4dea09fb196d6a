import type { RecordedEvent } from '@parley/event-store';

/** For how long an event that is to be acted on has been on record; 0 when there is none. */
export const lagSeconds = (next: Pick<RecordedEvent, 'recordedAt'> | null, now: Date): number =>
  next === null ? 0 : Math.max(0, (now.getTime() - Date.parse(next.recordedAt)) / 1_000);
