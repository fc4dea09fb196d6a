import type { ExplainedEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/** An event as explanations show it. */
export const explainedEventOf = ({ eventId, type, position, recordedAt }: RecordedEvent): ExplainedEvent => ({
  event_id: eventId,
  type,
  position,
  occurred_at: recordedAt,
});
