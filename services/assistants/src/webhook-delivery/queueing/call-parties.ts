import type { Aggregates } from '@parley/event-store';
import { campaign, campaignStream } from '../../campaign/campaign.ts';
import { lead, leadStream } from '../../lead/lead.ts';
import type { CallParties } from './call-webhooks.ts';

/**
 * The lead and the campaign that a call was about, as they are now; null for none, and for a lead that was deleted. Calls
 * that were under way when their campaign was deleted are told as its calls.
 */
export async function findCallParties(
  aggregates: Aggregates,
  accountId: number,
  ids: { readonly lead_id: number | null; readonly campaign_id: number | null },
): Promise<CallParties> {
  const [foundLead, foundCampaign] = await Promise.all([
    ids.lead_id === null ? undefined : aggregates.load(leadStream(ids.lead_id), lead),
    ids.campaign_id === null ? undefined : aggregates.load(campaignStream(ids.campaign_id), campaign),
  ]);
  const ownLead = foundLead?.accountId === accountId ? foundLead.state : null;
  const ownCampaign = foundCampaign?.accountId === accountId ? foundCampaign.state : null;
  return {
    lead: ownLead && { id: ownLead.id, phone_number: ownLead.phoneNumber, variables: ownLead.variables },
    campaign: ownCampaign && { id: ownCampaign.settings.id, name: ownCampaign.settings.name },
  };
}
