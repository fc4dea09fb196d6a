import { type LeadEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Lead } from './lead.ts';

/** Deletes a lead for ever. An attempt that goes on ends by itself, and what comes of it is not recorded here. */
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
