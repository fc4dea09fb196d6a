import type { EventMetadata, RecordedEvent } from '@parley/event-store';

/**
 * What the platform tells of something that we have begun belongs to the trace of its beginning, whether the answer or
 * a callback tells first.
 */
export const newsOf = (beginning: RecordedEvent | undefined, told: EventMetadata): EventMetadata =>
  beginning
    ? { ...told, correlationId: beginning.metadata.correlationId, causationId: beginning.eventId }
    : told;
