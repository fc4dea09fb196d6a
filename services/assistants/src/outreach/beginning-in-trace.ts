import type { EventStore } from '@parley/event-store';

const beginnings = new Set(['LeadCreated', 'CampaignStarted']);

/** What an attempt goes back to in the trace it belongs to: that its lead came, or that the campaign was started. */
export async function beginningInTrace(
  store: Pick<EventStore, 'readStream'>,
  correlationId: string,
  streamIds: readonly string[],
): Promise<string | undefined> {
  for (const streamId of streamIds) {
    const events = await store.readStream(streamId);
    const found = events.findLast(
      ({ type, metadata }) => beginnings.has(type) && metadata.correlationId === correlationId,
    );
    if (found) return found.eventId;
  }
  return undefined;
}
