import type { EventMetadata, RecordedEvent } from '@parley/event-store';

/**
 * Metadata of a provider's callback, moved into the trace of what it is about; left as it is when that is not known.
 */
export const newsOf = (beginning: RecordedEvent | undefined, told: EventMetadata): EventMetadata =>
  beginning
    ? { ...told, correlationId: beginning.metadata.correlationId, causationId: beginning.eventId }
    : told;
