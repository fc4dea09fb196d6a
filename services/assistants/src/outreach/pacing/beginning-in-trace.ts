import type { RecordedEvent } from '@parley/event-store';

/** Whether an event is a campaign's start or change in this trace, which is what its attempts may go back to. */
export const isTurnIn =
  (correlationId: string) =>
  ({ type, metadata }: RecordedEvent): boolean =>
    (type === 'CampaignStarted' || type === 'CampaignSettingsChanged') &&
    metadata.correlationId === correlationId;

/**
 * Id of the event that an attempt goes back to in its trace, among these events of its lead and its campaign: the
 * lead's arrival, or else the latest start or change of the campaign. Undefined when neither is in the trace.
 */
export function beginningInTrace(
  correlationId: string,
  events: readonly RecordedEvent[],
): string | undefined {
  const isComing = ({ type, metadata }: RecordedEvent) =>
    type === 'LeadCreated' && metadata.correlationId === correlationId;
  return (events.findLast(isComing) ?? events.findLast(isTurnIn(correlationId)))?.eventId;
}
