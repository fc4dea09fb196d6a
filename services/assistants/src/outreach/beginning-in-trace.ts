import type { EventStore, ReadStreamOptions } from '@parley/event-store';
import { campaignStream } from '../campaign/campaign.ts';
import { leadStream } from '../lead/lead.ts';

/** A lead comes with the first event of its stream. */
const coming: ReadStreamOptions = { fromVersion: 1, toVersion: 1 };

/** A campaign is reckoned to go on by one of its latest starts, however often it was stopped before. */
const latestEvents = 100;

/** What an attempt goes back to in the trace it belongs to: that its lead came, or that the campaign was started. */
export async function beginningInTrace(
  store: Pick<EventStore, 'readStream'>,
  correlationId: string,
  { leadId, campaignId, campaignVersion }: BeginningOf,
): Promise<string | undefined> {
  const latest = { fromVersion: Math.max(1, campaignVersion - latestEvents + 1), toVersion: campaignVersion };
  const [ofLead, ofCampaign] = await Promise.all([
    store.readStream(leadStream(leadId), coming),
    store.readStream(campaignStream(campaignId), latest),
  ]);
  const inTrace = (type: string) =>
    [...ofCampaign, ...ofLead].findLast(
      (event) => event.type === type && event.metadata.correlationId === correlationId,
    );
  return (inTrace('LeadCreated') ?? inTrace('CampaignStarted'))?.eventId;
}

interface BeginningOf {
  readonly leadId: number;
  readonly campaignId: number;
  readonly campaignVersion: number;
}
