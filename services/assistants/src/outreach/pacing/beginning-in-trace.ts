import type { RecordedEvent } from '@parley/event-store';

/** What a campaign's attempts may go back to in a trace: that it was started. */
export const isStartIn =
  (correlationId: string) =>
  ({ type, metadata }: RecordedEvent): boolean =>
    type === 'CampaignStarted' && metadata.correlationId === correlationId;

/**
 * What an attempt goes back to in the trace it belongs to, of these events of its lead and its campaign: that its lead came,
 * or that the campaign was started, last if it was so more than once.
 */
export function beginningInTrace(
  correlationId: string,
  events: readonly RecordedEvent[],
): string | undefined {
  const isComing = ({ type, metadata }: RecordedEvent) =>
    type === 'LeadCreated' && metadata.correlationId === correlationId;
  return (events.findLast(isComing) ?? events.findLast(isStartIn(correlationId)))?.eventId;
}
