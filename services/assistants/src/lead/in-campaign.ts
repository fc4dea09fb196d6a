import type { Aggregates, Moment } from '@parley/event-store';
import { campaign, campaignStream, living } from '../campaign/campaign.ts';
import type { Lead } from './lead.ts';

/**
 * Whether a lead's campaign was there at a moment: its leads are deleted with it, by its event alone. Where a version of the
 * lead is asked for, it was.
 */
export async function isInCampaign(
  lead: Lead,
  aggregates: Pick<Aggregates, 'loadAt'>,
  moment: Moment,
): Promise<boolean> {
  if (!lead || moment.version !== undefined) return true;
  const { state } = await aggregates.loadAt(campaignStream(lead.campaignId), campaign, moment);
  return living(state) !== null;
}
