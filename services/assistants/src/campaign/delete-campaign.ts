import { type CampaignEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { paceTimerId } from '../outreach/pacing/pace-timer.ts';
import { type Campaign, living } from './campaign.ts';

/**
 * Deletes a campaign with its leads. Its timer goes in the same transaction, so that no lead is queued afterwards; its
 * history and its settings stay, for what goes on still.
 */
export function deleteCampaign(
  state: Campaign,
  { now }: { readonly now: Date },
): Decision<CampaignEvent, { readonly message: string }> | Rejection {
  const present = living(state);
  if (!present) return reject('not_found');
  return {
    events: [{ type: 'CampaignDeleted', data: { at: now.toISOString() } }],
    cancelTimers: [paceTimerId(present.settings.id)],
    reply: { message: 'Campaign deleted successfully' },
  };
}
