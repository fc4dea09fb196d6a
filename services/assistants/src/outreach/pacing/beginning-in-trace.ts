import type { RecordedEvent } from '@parley/event-store';

/** Whether an event is a campaign's start in this trace, which is what its attempts may go back to. */
export const isStartIn =
  (correlationId: string) =>
  ({ type, metadata }: RecordedEvent): boolean =>
    type === 'CampaignStarted' && metadata.correlationId === correlationId;

/**
 * Id of the event that an attempt goes back to in its trace, among these events of its lead and its campaign: the
 * lead's arrival, or else the latest start of the campaign. Undefined when neither is in the trace.
 */
export function beginningInTrace(
  correlationId: string,
  events: readonly RecordedEvent[],
): string | undefined {
  const isComing = ({ type, metadata }: RecordedEvent) =>
    type === 'LeadCreated' && metadata.correlationId === correlationId;
  return (events.findLast(isComing) ?? events.findLast(isStartIn(correlationId)))?.eventId;
}
