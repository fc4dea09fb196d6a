import type { RecordedEvent } from '@parley/event-store';

/**
 * What an attempt goes back to in the trace it belongs to, of these events of its lead and its campaign: that its lead came,
 * or that the campaign was started, last if it was so more than once.
 */
export function beginningInTrace(
  correlationId: string,
  events: readonly RecordedEvent[],
): string | undefined {
  const inTrace = events.filter(({ metadata }) => metadata.correlationId === correlationId);
  const lastOf = (wanted: string) => inTrace.findLast(({ type }) => type === wanted);
  return (lastOf('LeadCreated') ?? lastOf('CampaignStarted'))?.eventId;
}
