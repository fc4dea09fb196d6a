import type { RecordedEvent } from './port.ts';

/** Of an event's payload as JSON, in characters: what memory it takes is some times as much. */
export const payloadLength = ({ data }: Pick<RecordedEvent, 'data'>): number =>
  JSON.stringify(data)?.length ?? 0;
