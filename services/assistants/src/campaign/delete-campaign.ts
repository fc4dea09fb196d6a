import { type CampaignEvent, invalidField, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { paceTimerId } from '../outreach/pacing/pace-timer.ts';
import { type Campaign, living } from './campaign.ts';

/**
 * Their rows go in the append of the deletion, and no other append is made meanwhile: three seconds for so many on a busy
 * machine, where six are the most that one may take.
 */
const maxLeads = 250_000;

export interface DeleteCampaign {
  readonly now: Date;
  readonly leadsCount: number;
}

/**
 * Deletes a campaign with its leads; `invalid` where they are too many. Its timer goes in the same transaction, so that no
 * lead is queued afterwards; its history and its settings stay, for what goes on still.
 */
export function deleteCampaign(
  state: Campaign,
  { now, leadsCount }: DeleteCampaign,
): Decision<CampaignEvent, { readonly message: string }> | Rejection {
  const present = living(state);
  if (!present) return reject('not_found');
  if (leadsCount > maxLeads)
    return invalidField('leads_count', 'A campaign of more than 250,000 leads cannot be deleted.');
  return {
    events: [{ type: 'CampaignDeleted', data: { at: now.toISOString() } }],
    cancelTimers: [paceTimerId(present.settings.id)],
    reply: { message: 'Campaign deleted successfully' },
  };
}
