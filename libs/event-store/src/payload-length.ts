import type { RecordedEvent } from './port.ts';

/**
 * Length of an event's payload as JSON, in characters. The parsed payload takes several times as many bytes of
 * memory.
 */
export const payloadLength = ({ data }: Pick<RecordedEvent, 'data'>): number =>
  JSON.stringify(data)?.length ?? 0;
