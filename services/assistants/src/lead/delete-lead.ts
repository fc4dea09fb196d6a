import { type LeadEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Lead } from './lead.ts';

/** For ever. An attempt that goes on ends by itself; nothing comes of it here. */
export function deleteLead(
  state: Lead,
  { now }: { readonly now: Date },
): Decision<LeadEvent, { readonly message: string }> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [{ type: 'LeadDeleted', data: { campaign_id: state.campaignId, at: now.toISOString() } }],
    reply: { message: 'Lead deleted successfully' },
  };
}
