import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type NewEvent, type RecordedEvent } from '@parley/event-store';
import { ownLog, type Reactor } from '@parley/processing';
import { golden, testMetadata } from '@parley/testing';
import { campaignStream } from '../../campaign/campaign.ts';
import { lead, leadStream } from '../../lead/lead.ts';
import type { FollowParts } from './follow-outcomes.ts';

/** The account of the golden lead, which is lead 12 of campaign 5. */
export const accountId = 3;
export const leadId = 12;

/** A log of campaigns and leads, and a reactor that hears what came of reaching out. */
export function followingWorld(follow: (parts: FollowParts) => Reactor) {
  const store = createInMemoryEventStore();
  const aggregates = new Aggregates(store);
  const reactor = follow({ aggregates, clock: store, source: ownLog(store) });
  const append = (streamId: string, events: readonly NewEvent[]) =>
    store.append({
      streamId,
      category: 'any',
      accountId,
      events,
      expectedVersion: 'any',
      metadata: testMetadata,
    });
  return {
    reactor,
    begin: () => append(campaignStream(5), golden<CampaignEvent>('CampaignCreated.v1')),
    happened: (...names: readonly string[]) => append(leadStream(leadId), golden<LeadEvent>(...names)),
    /** As a reactor in lanes does: what is appended is known by its event. */
    async hear(event: RecordedEvent) {
      const context = {
        store,
        metadata: testMetadata,
        attempt: 1,
        effectId: () => '',
        signal: AbortSignal.timeout(60_000),
      };
      const request = await reactor.react(event, context);
      return (
        request &&
        store.append({ command: { commandId: event.eventId, fingerprint: '', reply: '' }, ...request })
      );
    },
    lead: async () => (await aggregates.load(leadStream(leadId), lead)).state,
  };
}
